"""Performance: asv benchmarks, and ratios against what else people could use."""
