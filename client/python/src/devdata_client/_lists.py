"""Lists: iterators of all items, page by page, that can be resumed after a crash without paying twice."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NoReturn, TypedDict, TypeVar
from urllib.parse import parse_qsl, urlencode

from ._requests import Sender, is_whole_number
from .errors import MaxCreditsError

Item = TypeVar("Item")
Key = str | int

_MAX_PAGE_SIZE = 100
NOT_PICKLED = "A list can't be pickled or copied: keep its state, or make a Python list of its items"
READ_TWICE = "All is read: keep the items of the first loop, or create a new list"


class _PagePrice(TypedDict, total=False):
    paid: int
    """What the page itself has cost. States of 0.1.0 lack it."""


class ListState(_PagePrice):
    """Where the iteration of a list is. Its members are the client's own: keep it whole, as JSON."""

    url: str
    """Path and query of the page to request, below the base URL."""
    key: str
    """What the idempotency keys of the list's pages begin with."""
    spent: int
    """What the pages before it cost, in credits."""
    read: list[Key]
    """Items that were read, and may be on the page."""


@dataclass(frozen=True)
class Page(Generic[Item]):
    """Some items of a list, as one response had them. ``total``: items in the whole list, at the moment."""

    items: list[Item]
    total: int


class ItemList(Generic[Item]):
    """One iteration of a list, by item (``for user in users``) or by page (``users.pages()``).

    A loop that is left stops it; the next loop continues from there. After the loop that has read the end, another one
    raises a ``TypeError``: it would have no items.

    Every item comes once, even if ``resume`` is the ``state`` of a process that was killed. The idempotency keys of pages
    are derived from the state, so what was paid for is free for 24 hours, or for one hour once the dataset has changed.

    Use a list in one thread at a time.
    """

    def __init__(
        self,
        sender: Sender,
        urls: Sequence[str],
        key_of: Callable[[Item], Key],
        *,
        budget: int | None = None,
        resume: ListState | None = None,
        page_size: int = _MAX_PAGE_SIZE,
    ) -> None:
        indexes = {identify_list(url): index for index, url in enumerate(urls)}
        if budget is not None and not is_whole_number(budget):
            raise ValueError("budget must be a whole number of credits")
        if not (is_whole_number(page_size) and 1 <= page_size <= _MAX_PAGE_SIZE):
            raise ValueError(f"page_size must be a whole number from 1 to {_MAX_PAGE_SIZE}")
        if resume is not None and not (is_list_state(resume) and identify_list(resume["url"]) in indexes):
            raise ValueError("resume must be the state of an iteration of the same list, with the same filter")
        self._sender = sender
        self._urls = urls
        self._indexes = indexes
        self._key_of = key_of
        self._budget = budget
        self._page_size = page_size
        self._spent_before = resume["spent"] if resume else 0
        """What the pages before the current one cost."""
        self._spent = self._spent_before + (resume.get("paid", 0) if resume else 0)
        self._key = resume["key"] if resume else create_random_key()
        self._read: set[Key] = set(resume["read"] if resume else ())
        """Items that were read before the current page was requested, and may be on it."""
        self._read_elsewhere: set[Key] = set()
        """Read items that the current page lacks. They may be on a later page, because other items were added before them."""
        self._url: str | None = resume["url"] if resume else self._resize(urls[0] if urls else None)
        """The current page, or to be requested; None: all is read."""
        self._next_url: str | None = None
        self._items: list[Item] | None = None
        """Items of the current page, without those that were read before; None: the page is to be requested."""
        self._position = 0
        """How many of the items are read."""
        self._is_over = False
        self.stopped_by: Literal["budget"] | None = None
        """Why the iteration ended before the end of the list."""
        self.total: int | None = None
        """Items in the whole list, as the last response had it; None: there was none yet."""
        self.balance: int | None = None
        """The balance of the key, in credits."""
        self.version: int | None = None
        """The version of the dataset that the first page of this process was read at."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(NOT_PICKLED)

    @property
    def spent(self) -> int:
        """What the iteration cost so far, in credits, before a crash too."""
        return self._spent

    @property
    def is_complete(self) -> bool:
        """Whether all is read."""
        return self._url is None

    @property
    def state(self) -> ListState | None:
        """Where the iteration is: after the item or page that was returned last. None: all is read."""
        if self._url is None:
            return None
        read = [*self._read, *(self._key_of(item) for item in (self._items or [])[: self._position])]
        spent, paid = self._spent_before, self._spent - self._spent_before
        return {"url": self._url, "key": self._key, "spent": spent, "paid": paid, "read": read}

    def __iter__(self) -> Iterator[Item]:
        self._assert_not_over()
        return self._iterate()

    def _iterate(self) -> Iterator[Item]:
        while self._has_item() or self._request_page():
            if self._items is None or not self._has_item():
                continue
            item = self._items[self._position]
            self._move_to(self._position + 1)
            yield item
        self._is_over = self.is_complete

    def pages(self) -> Iterator[Page[Item]]:
        """Iterates the pages."""
        self._assert_not_over()
        return self._iterate_pages()

    def _iterate_pages(self) -> Iterator[Page[Item]]:
        while self._has_item() or self._request_page():
            if self._items is None or not self._has_item():
                continue
            items = self._items[self._position :]
            self._move_to(len(self._items))
            yield Page(items, self.total if self.total is not None else len(items))
        self._is_over = self.is_complete

    def _assert_not_over(self) -> None:
        if self._is_over:
            raise TypeError(READ_TWICE)

    def _has_item(self) -> bool:
        return self._position < len(self._items or ())

    def _request_page(self) -> bool:
        """Requests the current page. False: there is none, or it would cost more than the budget."""
        self.stopped_by = None
        if self._url is None:
            return False
        left = None if self._budget is None else max(0, self._budget - self._spent)
        try:
            response = self._sender.send(
                self._url, idempotency_key=create_page_key(self._key, self._url), max_credits=left
            )
        except MaxCreditsError:
            # A page of a state had its URL until here: if it was paid and its response got lost, it is free.
            if left and not self._read and _read_page_size(self._url) > left:
                self._url = self._resize(self._url)
                return True
            self.stopped_by = "budget"
            return False
        self.total = response.total
        self.balance = response.info.balance
        if self.version is None:
            self.version = response.version
        # A page of which items were read before, but too long ago to be free, is paid twice.
        self._spent = max(self._spent_before + response.info.paid, self._spent + response.info.cost)
        self._next_url = self._find_next(self._url, response.next)
        items: list[Item] = response.body["data"]
        if self._read:
            keys = {self._key_of(item) for item in items}
            self._read_elsewhere = self._read - keys
            items = [item for item in items if self._key_of(item) not in self._read]
        self._items = items
        self._move_to(0)
        return True

    def _move_to(self, position: int) -> None:
        """Sets how many items of the current page are read. After the last one, the next page is current."""
        self._position = position
        if self._has_item():
            return
        self._url = self._next_url
        self._items = None
        self._read = self._read_elsewhere
        self._read_elsewhere = set()
        self._spent_before = self._spent

    def _find_next(self, url: str, query: str | None) -> str | None:
        if query is not None:
            return self._resize(url.split("?")[0] + query)
        index = self._indexes[identify_list(url)] + 1
        return self._resize(self._urls[index] if index < len(self._urls) else None)

    def _resize(self, url: str | None) -> str | None:
        """Makes a page no larger than the budget allows."""
        if url is None:
            return None
        left = self._page_size if self._budget is None else self._budget - self._spent
        return resize_page(url, min(self._page_size, left) if left > 0 else self._page_size)


def is_list_state(value: Any) -> bool:
    """Whether a value, such as one that was read from a file, has the form of a state."""
    return isinstance(value, dict) and all(
        isinstance(value.get(name), kind)
        for name, kind in (("url", str), ("key", str), ("spent", int), ("read", list))
    )


def resize_page(url: str, size: int) -> str:
    """Returns the URL of a page with this number of items."""
    path, query = _split(url)
    others = [(name, value) for name, value in query if name != "per_page"]
    return f"{path}?{urlencode([*others, ('per_page', str(size))])}"


def create_random_key() -> str:
    """Creates a text that nobody else has."""
    return secrets.token_urlsafe(16)


def create_page_key(list_key: str, url: str) -> str:
    """Returns the idempotency key of a page. It depends on the list's key and the page's URL alone."""
    return f"{list_key}.{hashlib.sha256(url.encode()).hexdigest()[:20]}"


def identify_list(url: str) -> str:
    """Returns what all pages of a list have in common: path and filters, in the order of their names."""
    path, query = _split(url)
    filters = [pair for pair in query if pair[0] not in ("page", "per_page", "after")]
    return f"{path}?{urlencode(sorted(filters, key=lambda pair: pair[0]))}"


def _read_page_size(url: str) -> int:
    return int(dict(_split(url)[1]).get("per_page", "0"))


def _split(url: str) -> tuple[str, list[tuple[str, str]]]:
    path, _, query = url.partition("?")
    return path, parse_qsl(query, keep_blank_values=True)
