def render(records):
    return ""
