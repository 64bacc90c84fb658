"""The experiments that settle what the paper leaves open (starts, halving, epoch, committee).

`python -m suite.run study` computes them, `python -m suite tables` renders the report. Replicates
are from 100 up only: those of the tables, 0 to 19, play no part in any default.
"""
