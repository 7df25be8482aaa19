"""What each API answers: functions from the world and a request to the response's fields."""
