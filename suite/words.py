"""Numbers for people."""


def duration(seconds: float) -> str:
    """Seconds for people: 8.1 s, 2 min 5 s, 3 h 20 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def count(number: int, thing: str) -> str:
    """1 cell, 2 cells."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
