"""The static site: pages written from the published records and the docs, rendered by Sphinx."""
