"""From a campaign file to a decision."""
