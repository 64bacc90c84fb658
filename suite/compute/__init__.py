"""The numbers. Enters: planned cells; leaves: what each gave, or why it failed."""
