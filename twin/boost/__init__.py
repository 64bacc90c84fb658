"""TwinBoost: logit Pr(Y = 1 | x, t) = f(x) + (t - c) d(x), f and d boosted lines and trees."""
