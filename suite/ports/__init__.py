"""How near the ports come to the programs that the paper ran: `python -m suite.run ports`."""
