"""How often a benchmark is repeated: at least three times, for about a second (setup aside)."""

import time


class Sampled:
    """CPU seconds of one process and thread, so that a shared machine disturbs little."""

    timer = time.process_time
    rounds = 1
    repeat = (3, 15, 1.0)
    warmup_time = 0.2
    timeout = 300
