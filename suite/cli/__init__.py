"""What a person types. Nothing is decided here."""
