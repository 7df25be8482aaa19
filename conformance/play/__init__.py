"""Playing scenarios on a broker: requests go out, observations come back."""
