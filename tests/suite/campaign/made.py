"""Small campaigns with known truth."""

import numpy as np
import pandas as pd


def small(seed: int = 0, n: int = 4500, arms: int = 2, effect: float = 0.25) -> pd.DataFrame:
    """Those with the app gain `effect`, others lose a fifth of it; a level asks to be escaped."""
    rng = np.random.default_rng(seed)
    app = rng.random(n) < 0.5
    treated = rng.integers(0, arms, n)
    age = rng.normal(45, 12, n).round()
    p = 0.25 + 0.002 * (age - 45) + (treated > 0) * np.where(app, effect, -effect / 5)
    return pd.DataFrame(
        {
            "customer_id": [f"C{i:05d}" for i in range(n)],
            "has_app": np.where(app, "yes", "<img onerror=x>"),
            "age": age,
            "spend": rng.gamma(2.0, 30.0, n).round(2),
            "arm": np.array(["control", "mail", "call"])[treated],
            "bought": np.where(rng.random(n) < p.clip(0.01, 0.99), "yes", "no"),
        }
    )
