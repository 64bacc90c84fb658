"""The comparison: plan, run, store, compare, render."""
