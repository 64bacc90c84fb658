"""Arrays and boosters of a bundle: each a member of its own, named where it stood."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np


def store(value: Any, prefix: str, members: dict[str, bytes]) -> Any:
    """`value` with arrays and bytes moved to members and named in their place."""
    if isinstance(value, np.ndarray):
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, np.asarray(value, order="C"), allow_pickle=False)
        name = f"{prefix}-{len(members)}.npy"
        members[name] = buffer.getvalue()
        return {"$member": name}
    if isinstance(value, bytes):
        name = f"{prefix}-{len(members)}.ubj"
        members[name] = value
        return {"$member": name}
    if isinstance(value, dict):
        return {key: store(item, prefix, members) for key, item in value.items()}
    if isinstance(value, list):
        return [store(item, prefix, members) for item in value]
    return value


def restore(value: Any, members: Mapping[str, bytes]) -> Any:
    """What `store` was given; a ValueError where an array holds other than finite numbers."""
    if isinstance(value, list):
        return [restore(item, members) for item in value]
    if not isinstance(value, dict):
        return value
    if "$member" not in value:
        return {key: restore(item, members) for key, item in value.items()}
    raw = members[value["$member"]]
    if value["$member"].endswith(".ubj"):
        return raw
    array = np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False)
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise ValueError(f"{value['$member']} holds what is no finite number")
    return array
