"""How the filters of lists are written in a path."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union
from urllib.parse import quote, urlencode

from ._filter_types import FLAGS, REPEATED, TIMES

Texts = Union[str, Sequence[str]]
"""A text, or several."""
_MAX_BATCH_SIZE = 100
_MAX_URL_LENGTH = 3_500
"""A small budget needs pages, which the service lacks if the whole URL has more than 4,000 characters."""


def write_list_url(path: str, parameters: Mapping[str, Any]) -> str:
    """Writes the path of a list with a filter. A parameter that is None is left out.

    Raises a ``ValueError`` if a value is empty, because the service would refuse it or list everything, and a ``TypeError``
    for values that are neither texts nor numbers: "None" would be searched for.
    """
    pairs: list[tuple[str, str]] = []
    for name, given in parameters.items():
        if given is None:
            continue
        values = [_write_value(name, value) for value in _to_list(given)]
        if not values or any(value.strip() == "" for value in values):
            raise ValueError(f"{name} is empty; leave it out to list everything")
        is_repeated = name in REPEATED
        if not is_repeated and any("," in value for value in values):
            raise ValueError(f"{name} must not contain commas; several values are a list")
        # A space at the end would be a plus sign, which the service refuses in what it compares whole.
        texts = values if is_repeated else [",".join(value.strip() for value in values)]
        pairs.extend((name, text) for text in texts)
    return f"{path}?{urlencode(pairs)}" if pairs else path


def write_batch_urls(path: str, name_parameter: str, keys: Iterable[str] | Iterable[int]) -> list[str]:
    """Writes the paths of batch look-ups, each of a hundred names or ids at most, and each name once."""
    if isinstance(keys, (str, bytes)):
        raise TypeError("names or ids to look up must be a list")
    names = list({str(key).lower(): key for key in _to_list(keys)}.values())
    if len({type(name) for name in names}) > 1:
        raise TypeError("names and ids must be looked up separately")
    parameter = "forge_rest_ids" if names and isinstance(names[0], int) else name_parameter

    def write(batch: Sequence[str | int]) -> list[str]:
        url = write_list_url(path, {parameter: batch})
        middle = len(batch) // 2
        if len(url) <= _MAX_URL_LENGTH or middle == 0:
            return [url]
        return write(batch[:middle]) + write(batch[middle:])

    starts = range(0, len(names), _MAX_BATCH_SIZE)
    return [url for start in starts for url in write(names[start : start + _MAX_BATCH_SIZE])]


def write_path(*parts: str) -> str:
    """Writes a path. Raises if a part would change which path it is, or is not a text."""
    for part in parts:
        if not isinstance(part, str):
            raise TypeError("a login, an owner or a name must be a text")
        if part in ("", ".", ".."):
            raise ValueError("a login, an owner or a name must not be empty, a dot or two dots")
    return "/".join(quote(part, safe="") for part in parts)


def write_repository_path(full_name: str) -> str:
    """Writes the path of a repository, which is named by ``OWNER/NAME``."""
    parts = full_name.split("/") if isinstance(full_name, str) else []
    if len(parts) != 2:
        raise ValueError("a repository is named by OWNER/NAME")
    return write_path("repos", *parts)


def _to_list(given: Any) -> Sequence[Any]:
    """Sets are sorted: in another process they may have another order, and the list another URL."""
    if isinstance(given, (set, frozenset)):
        return sorted(given)
    return [given] if isinstance(given, (str, bytes)) or not isinstance(given, Iterable) else list(given)


def _write_value(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime.datetime) and name in TIMES:
        if value.utcoffset() is None:
            raise ValueError(f"{name} must have a time zone, such as datetime.timezone.utc")
        return str(math.floor(value.timestamp()))
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime) and name in (*TIMES, "day"):
        return value.isoformat()
    if isinstance(value, bool):
        if name in FLAGS:
            return str(value).lower()
    elif isinstance(value, int):
        return str(value)
    kind = "a text or a whole number, or a list of them"
    if name in FLAGS:
        kind = "True or False"
    elif name in TIMES:
        kind = "a date, a datetime, a text or a whole number"
    raise TypeError(f"{name} must be {kind}, but has {value!r}")
