"""What is kept. Enters: outcomes of cells; leaves: sealed records on disk."""
