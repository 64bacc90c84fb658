"""`model.uplift`: a zip of a manifest, arrays and boosters; no code in it, nothing to unpickle."""

from pathlib import Path

from suite.campaign.model import Model

FORMAT = 1


def save(model: Model, path: Path) -> None:
    """Write `model` to `path`, whole or not at all."""
    raise NotImplementedError


def load(path: Path) -> Model:
    """The model in `path`; a UserError if it is damaged, newer, or no bundle at all."""
    raise NotImplementedError
