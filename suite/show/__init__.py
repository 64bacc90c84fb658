"""How it is seen. Enters: comparisons; leaves: tables, figures, the terminal."""
