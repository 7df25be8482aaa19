"""The model behind Kafka's wire protocol: a thin shell that keeps bytes and asks `spec` for every
decision.
"""
