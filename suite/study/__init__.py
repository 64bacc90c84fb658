"""The experiments that settle what the paper leaves open (starts, halving, epoch, committee).

`python -m suite study` runs what is not recorded yet and renders the report. It uses replicates
from 100 up only: those of the tables, 0 to 19, play no part in any default.
"""
