"""What is to be computed. Enters: an experiment and options; leaves: cells with their keys."""
