"""The two ways in which a command on a campaign file ends early."""


class CampaignError(Exception):
    """Something the user can mend: one or two lines that name cause, value and remedy."""

    code: int


class UserError(CampaignError, ValueError):
    """A mistake in the command, the file or the bundle."""

    code = 2


class DataError(CampaignError, ValueError):
    """The data cannot answer the question."""

    code = 3
