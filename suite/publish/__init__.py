"""What is shown to others. Enters: a run's store; leaves: `results/records`, checked."""
