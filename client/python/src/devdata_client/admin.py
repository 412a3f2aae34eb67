"""What operators and their shops do with keys over HTTP. The service's operator turns it on.

>>> from devdata_client.admin import Admin
>>> admin = Admin("https://api.example.com", api_key)  # an admin key with the scope keys:write
>>> key = admin.keys.create(reference="order 1842", credits=1000, notify_below=100)

What is sent and returned has types in ``devdata_client.admin_records``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from ._filters import write_list_url, write_path
from ._lists import ItemList, ListState, create_random_key
from ._requests import ResponseInfo, Sender, Wait
from .admin_records import CreatedKey, Key, KeyChange, KeyGrant, NewGrant, NewKey
from .errors import DevdataError, NetworkError

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MAX_ROTATIONS = 5
"""Rotations under references of their own, until one has a response."""


class Admin:
    """What an admin key with the scope ``keys:write`` may do. Options are those of ``Client``."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 6,
        timeout: float = 60.0,
        on_response: Callable[[ResponseInfo], object] | None = None,
        on_wait: Callable[[Wait], object] | None = None,
    ) -> None:
        self._sender = Sender(
            base_url, api_key, retries=retries, timeout=timeout, cache=None, on_response=on_response, on_wait=on_wait
        )
        self.keys = Keys(self._sender)

    def __enter__(self) -> Admin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection of this thread. It is opened again when it is needed."""
        self._sender.close()


class Keys:
    """Keys. Each method may raise a ``DevdataError``, and repeats requests: none creates or grants anything twice."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(self, **key: Unpack[NewKey]) -> CreatedKey:
        """Creates a ``user`` key, once under its ``reference``.

        If the response to the first request was lost, or the key was created before, ``secret`` is None: ``rotate`` gives
        another one.
        """
        return cast(CreatedKey, self._write(_path_of(), key))

    def list(
        self,
        *,
        below: int | None = None,
        name: str | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
    ) -> ItemList[Key]:
        """Lists keys, oldest first: all, only ``user`` keys with fewer credits than ``below``, or only those with a name."""
        url = write_list_url(_path_of(), {"below": below, "name": name})
        return ItemList(self._sender, [url], lambda key: key["id"], resume=resume, page_size=page_size)

    def get(self, key_id: int) -> Key | None:
        """Returns the key with this id; None: there is none."""
        try:
            return cast(Key, self._sender.send(_path_of(key_id)).body)
        except DevdataError as error:
            if error.code == "key_not_found":
                return None
            raise

    def change(self, key_id: int, **change: Unpack[KeyChange]) -> Key:
        """Changes the members that are given. None removes a name, a limit or a threshold."""
        return cast(Key, self._write(_path_of(key_id), change, method="PATCH"))

    def grant(self, key_id: int, **grant: Unpack[NewGrant]) -> KeyGrant:
        """Adds credits, or withdraws them if the number is negative, once under a ``reference``, which belongs to the key."""
        return cast(KeyGrant, self._write(_path_of(key_id, "grants"), grant))

    def rotate(self, key_id: int, *, grace_seconds: int = 0) -> CreatedKey:
        """Replaces the secret of a key. The old one works for another ``grace_seconds``.

        Whatever is lost or late on the network, the secret that you get works.
        """
        for _ in range(_MAX_ROTATIONS):
            # Under a reference, a request that arrives late does nothing. If its response was lost, nobody has the secret.
            members = {"reference": create_random_key(), "grace_seconds": grace_seconds}
            rotated = cast(CreatedKey, self._write(_path_of(key_id, "rotate"), members))
            if rotated["secret"] is not None:
                return rotated
        raise NetworkError(f"The request failed: {_MAX_ROTATIONS} responses with a secret were lost")

    def revoke(self, key_id: int) -> Key:
        """Revokes a key from its next request on, until it is restored."""
        return cast(Key, self._write(_path_of(key_id, "revoke"), {}))

    def restore(self, key_id: int) -> Key:
        """Undoes ``revoke``."""
        return cast(Key, self._write(_path_of(key_id, "restore"), {}))

    def _write(self, path: str, members: Mapping[str, Any], method: str = "POST") -> Any:
        return self._sender.send(path, method=method, members=dict(members)).body


def _path_of(*parts: int | str) -> str:
    return write_path("admin", "keys", *map(str, parts))
