"""What the records say. Enters: records; leaves: means, verdicts, tests."""
