"""The paper's tables and further ones, rendered from the published records."""
