"""What asv measures. Heavy imports stay at the top: they happen once, before processes fork."""
