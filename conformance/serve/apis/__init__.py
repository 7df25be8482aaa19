"""The answers of each API: functions from the state and a request to the response's fields."""
