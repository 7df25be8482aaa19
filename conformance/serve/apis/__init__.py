"""What each API answers: functions from the state and a request to the response's fields."""
