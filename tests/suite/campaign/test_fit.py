"""From a small table to answer, page, model: one run, looked at from all sides."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import suite.campaign
from suite.campaign import bundle, output
from suite.campaign.errors import UserError

OPTIONS = {
    "outcome": "bought",
    "value": 10,
    "cost": 0.5,
    "methods": ("r-lasso", "no-such"),
    "folds": 3,
    "time": "1h",
}
