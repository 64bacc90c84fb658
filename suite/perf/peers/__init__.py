"""How fast the suite is beside what else people could use: ratios of one process and one thread."""
