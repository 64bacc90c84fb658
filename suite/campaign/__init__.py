"""From a campaign file to a decision."""

from typing import Any

__all__ = ["fit"]


def fit(frame: Any, **options: Any) -> Any:
    """Analyse a table with an outcome and arms: see `suite.campaign.api.fit`."""
    from suite.campaign import api  # what trains is not needed to read or to score

    return api.fit(frame, **options)
