"""What comes from outside: one module a format, each turning bytes into sessions. Formats are found by looking."""
