"""The client of a devdata service."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ._changes import Changes, ChangesState, ChangeType
from ._filter_types import RepositoryFilter, UserFilter
from ._filters import Texts, write_batch_urls, write_list_url, write_path, write_repository_path
from ._lists import ItemList, ListState, create_random_key, resize_page
from ._requests import CachedResponse, ResponseInfo, Sender, Wait, is_whole_number
from ._watch import Watch, WatchState
from .errors import DevdataError, InvalidRequestError
from .records import (
    Commit,
    CompanyText,
    Connection,
    CreditStatus,
    DependencyBlame,
    DependencyHistory,
    ListedRepository,
    LocationText,
    Removal,
    Repository,
    RepositoryDependency,
    UsageEntry,
    UsageSum,
    UsedDependency,
    User,
    ValueCount,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Quote(NamedTuple):
    """What a whole list would cost."""

    items: int
    credits: int


class Counts(NamedTuple):
    """How many of the items that a filter finds have each value.

    ``values`` are the 20 most frequent ones, the most frequent one first. ``none`` counts items without a value, ``others``
    those with another value; None: an item may have several.
    """

    values: list[ValueCount]
    total: int
    others: int | None
    none: int


class Client:
    """A client of a devdata service. Every method may raise a ``DevdataError``.

    >>> api = Client("https://api.example.com", api_key)
    >>> for user in api.users.list(location="berlin", budget=500):
    ...     print(user["login"])

    ``retries``: how often a request is sent again at most. Before the first response, a URL that can't be reached is tried
    again twice at most: it may be wrong. ``timeout``: how long a whole response may take, in seconds. ``cache``: keeps
    responses, such as a dict; one that hasn't changed is free the next time. ``on_response`` is called after each whole
    response, error responses included, and ``on_wait`` before each wait.

    Each thread has a connection of its own, so threads may share a client. A list is for one thread.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 6,
        timeout: float = 60.0,
        cache: MutableMapping[str, CachedResponse] | None = None,
        on_response: Callable[[ResponseInfo], object] | None = None,
        on_wait: Callable[[Wait], object] | None = None,
    ) -> None:
        self._sender = Sender(
            base_url,
            api_key,
            retries=retries,
            timeout=timeout,
            cache=cache,
            on_response=on_response,
            on_wait=on_wait,
        )
        self.users = Users(self._sender)
        self.repositories = Repositories(self._sender)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection of this thread. It is opened again when it is needed."""
        self._sender.close()

    def changes(
        self,
        since: int | None = None,
        *,
        budget: int | None = None,
        resume: ChangesState | None = None,
        page_size: int = 100,
    ) -> Changes:
        """Lists what changed since a version of the dataset, for programs that keep a copy. None: everything.

        The next time, pass the ``version`` that this iteration has at its end.
        """

        def open_list(kind: ChangeType, state: ListState | None, left: int | None) -> ItemList[Any]:
            if kind == "removal":
                return self.removals(since or 0, resume=state, page_size=page_size)
            if kind == "user":
                return self.users.list(changed_since=since, budget=left, resume=state, page_size=page_size)
            return self.repositories.list(changed_since=since, budget=left, resume=state, page_size=page_size)

        return Changes(open_list, since, budget=budget, resume=resume)

    def removals(self, since: int, *, resume: ListState | None = None, page_size: int = 100) -> ItemList[Removal]:
        """Lists what was removed since a version of the dataset. Free."""
        return ItemList(
            self._sender,
            [write_list_url("removals", {"since": since})],
            lambda removal: f"{removal['kind']} {removal['forge_rest_id']}",
            resume=resume,
            page_size=page_size,
        )

    def find_dependencies(
        self,
        *,
        prefix: str | None = None,
        contains: str | None = None,
        dependency_files: Texts | None = None,
        limit: int | None = None,
    ) -> list[UsedDependency]:
        """Finds dependencies that filters can name, the most used ones first, up to ``limit`` (20). Free.

        Either by the beginning of their names, or by a part of them.
        """
        return self._find(
            "dependencies",
            {"prefix": prefix, "contains": contains, "dependency_files": dependency_files, "limit": limit},
        )

    def dependency_history(
        self,
        dependency_name: str,
        *,
        dependency_file: str | None = None,
        since: str | int | datetime.date | None = None,
        until: str | int | datetime.date | None = None,
    ) -> DependencyHistory:
        """Returns how many items started and stopped using a dependency, by month. Free."""
        search = {"dependency_name": dependency_name, "dependency_file": dependency_file, "since": since, "until": until}
        return cast(DependencyHistory, self._sender.send(write_list_url("dependencies/history", search)).body)

    def find_locations(self, contains: str, *, limit: int | None = None) -> list[LocationText]:
        """Finds locations that at least three users have, the most frequent ones first, up to ``limit`` (20). Free."""
        return self._find("locations", {"contains": contains, "limit": limit})

    def find_companies(self, contains: str, *, limit: int | None = None) -> list[CompanyText]:
        """Finds companies that at least three users have, the most frequent ones first, up to ``limit`` (20). Free."""
        return self._find("companies", {"contains": contains, "limit": limit})

    def credits(self) -> CreditStatus:
        """Returns the balance of the key. Free."""
        return cast(CreditStatus, self._sender.send("api-key/credits").body)

    def usage(
        self,
        *,
        day: str | datetime.date | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
    ) -> ItemList[UsageEntry]:
        """Lists what changed the balance of the key, newest first; ``day`` is one in UTC, such as ``2026-01-31``. Free."""
        return ItemList(
            self._sender,
            [write_list_url("api-key/usage", {"day": day})],
            lambda entry: entry["entry"],
            resume=resume,
            page_size=page_size,
        )

    def usage_by_day(
        self,
        *,
        day: str | datetime.date | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
    ) -> ItemList[UsageSum]:
        """Lists what the key spent by day and endpoint, newest day first. Free."""
        return ItemList(
            self._sender,
            [write_list_url("api-key/usage/days", {"day": day})],
            lambda total: f"{total['day']} {total['endpoint']}",
            resume=resume,
            page_size=page_size,
        )

    def connections(self) -> list[Connection]:
        """Returns the assistants that are connected with the key, oldest first. Free."""
        return self._find("api-key/connections", {})

    def end_connection(self, connection_id: int) -> None:
        """Ends a connection. Does nothing if the key has none with this id. Free."""
        try:
            self._sender.send(write_path("api-key", "connections", str(connection_id)), method="DELETE")
        except DevdataError as error:
            # The connection was ended by an earlier request, whose response was lost.
            if error.code != "connection_not_found":
                raise

    def _find(self, path: str, search: dict[str, Any]) -> list[Any]:
        data: list[Any] = self._sender.send(write_list_url(path, search)).body["data"]
        return data


class Users:
    """Users. See ``UserFilter`` for what a list may be filtered by."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def get(
        self, login: str, *, max_credits: int | None = None, idempotency_key: str | None = None
    ) -> User | None:
        """Returns the user with this login, case-insensitive; None: there is none. Either costs 1 credit.

        ``max_credits``: what the look-up may cost; otherwise it raises a ``MaxCreditsError``. ``idempotency_key``: a text
        that no other request has. The look-up is charged once under it, even if another process repeats it.
        """
        path = write_path("users", login)
        user: User | None = _find_item(self._sender, path, "user_not_found", max_credits, idempotency_key)
        return user

    def list(
        self,
        *,
        budget: int | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
        **filters: Unpack[UserFilter],
    ) -> ItemList[User]:
        """Lists users, in the order in which they were added.

        ``budget``: what the whole iteration may cost, in credits, before and after a crash. It ends before it would cost
        more, and its ``stopped_by`` is ``"budget"``. Without a budget, it raises an ``InsufficientCreditsError`` at the first
        page that costs more than the balance of the key. ``resume``: the ``state`` of an iteration of the same list, to
        continue from there. ``page_size``: items a page, 1 to 100.
        """
        url = write_list_url("users", _check(filters, UserFilter))
        return ItemList(self._sender, [url], _id_of, budget=budget, resume=resume, page_size=page_size)

    def watch(
        self,
        *,
        since: int | None = None,
        budget: int | None = None,
        resume: WatchState | None = None,
        page_size: int = 100,
        **filters: Unpack[UserFilter],
    ) -> Watch[User]:
        """Begins a run of a watch: what is new among the users that a filter finds, each of them once, ever.

        ``resume``: the ``state`` of the run before. Without it, ``since`` is the version of the dataset at which to begin; None:
        everything that matches is given. ``budget``: what the run may cost, in credits. ``changed_since`` and ``sort`` must be
        left out.
        """
        return _watch(self._sender, "users", _check(filters, UserFilter), since, resume, budget, page_size)

    def get_many(
        self,
        keys: Iterable[str] | Iterable[int],
        *,
        budget: int | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
    ) -> ItemList[User]:
        """Looks up any number of logins, or of values of ``forge_rest_id``. Unknown ones are absent, and cost nothing."""
        urls = write_batch_urls("users", "logins", keys)
        return ItemList(self._sender, urls, _id_of, budget=budget, resume=resume, page_size=page_size)

    def quote(self, **filters: Unpack[UserFilter]) -> Quote:
        """Returns how many users a filter finds, and what they cost. Free."""
        return _quote(self._sender, write_list_url("users", _check(filters, UserFilter)))

    def count(self, by: Literal["country", "type", "dependency"], **filters: Unpack[UserFilter]) -> Counts:
        """Counts the users that a filter finds by their values. Takes no ``changed_since`` and no ``sort``. Free."""
        return _count(self._sender, {"of": "users", "by": by, **_check(filters, UserFilter)})


class Repositories:
    """Repositories, named by ``OWNER/NAME``, case-insensitive. See ``RepositoryFilter`` for filters."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def get(
        self, full_name: str, *, max_credits: int | None = None, idempotency_key: str | None = None
    ) -> Repository | None:
        """Returns the repository, without its dependencies, for 1 credit; None: there is none, which is free."""
        path = write_repository_path(full_name)
        repository: Repository | None = _find_item(
            self._sender, path, "repository_not_found", max_credits, idempotency_key
        )
        return repository

    def list(
        self,
        *,
        budget: int | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
        **filters: Unpack[RepositoryFilter],
    ) -> ItemList[ListedRepository]:
        """Lists repositories with their dependencies, in the order in which they were added. Options are those of users."""
        url = write_list_url("repos", _check(filters, RepositoryFilter))
        return ItemList(self._sender, [url], _id_of, budget=budget, resume=resume, page_size=page_size)

    def watch(
        self,
        *,
        since: int | None = None,
        budget: int | None = None,
        resume: WatchState | None = None,
        page_size: int = 100,
        **filters: Unpack[RepositoryFilter],
    ) -> Watch[ListedRepository]:
        """Begins a run of a watch: what is new among the repositories that a filter finds. See ``Users.watch``."""
        return _watch(self._sender, "repos", _check(filters, RepositoryFilter), since, resume, budget, page_size)

    def get_many(
        self,
        keys: Iterable[str] | Iterable[int],
        *,
        budget: int | None = None,
        resume: ListState | None = None,
        page_size: int = 100,
    ) -> ItemList[ListedRepository]:
        """Looks up any number of names, or of values of ``forge_rest_id``. Unknown ones are absent, and cost nothing."""
        urls = write_batch_urls("repos", "full_names", keys)
        return ItemList(self._sender, urls, _id_of, budget=budget, resume=resume, page_size=page_size)

    def quote(self, **filters: Unpack[RepositoryFilter]) -> Quote:
        """Returns how many repositories a filter finds, and what they cost. Free."""
        return _quote(self._sender, write_list_url("repos", _check(filters, RepositoryFilter)))

    def count(
        self,
        by: Literal["language", "license", "fork", "archived", "dependency"],
        **filters: Unpack[RepositoryFilter],
    ) -> Counts:
        """Counts the repositories that a filter finds by their values. Free.

        Takes no ``changed_since``, no ``sort`` and no ``exclude``.
        """
        return _count(self._sender, {"of": "repos", "by": by, **_check(filters, RepositoryFilter)})

    def commits(
        self, full_name: str, *, budget: int | None = None, resume: ListState | None = None, page_size: int = 100
    ) -> ItemList[Commit]:
        """Lists the commits of a repository, newest first.

        The iteration raises a ``NotFoundError`` if the repository doesn't exist. If a load removes the commit that was read
        last, because the history was rewritten, commits may be missed or come twice.
        """
        url = f"{write_repository_path(full_name)}/commits"
        return ItemList(
            self._sender, [url], lambda commit: commit["commit_hash"], budget=budget, resume=resume, page_size=page_size
        )

    def dependencies(
        self, full_name: str, *, budget: int | None = None, resume: ListState | None = None, page_size: int = 100
    ) -> ItemList[RepositoryDependency]:
        """Lists the dependencies of a repository. The iteration raises a ``NotFoundError`` if it doesn't exist."""
        url = f"{write_repository_path(full_name)}/dependencies"
        return ItemList(
            self._sender, [url], _key_of_dependency, budget=budget, resume=resume, page_size=page_size
        )

    def blame(
        self, full_name: str, *, budget: int | None = None, resume: ListState | None = None, page_size: int = 100
    ) -> ItemList[DependencyBlame]:
        """Lists the same dependencies with the commits that added and removed them."""
        url = f"{write_repository_path(full_name)}/dependencies/blame"
        return ItemList(
            self._sender, [url], _key_of_dependency, budget=budget, resume=resume, page_size=page_size
        )


def _id_of(item: User | ListedRepository) -> int:
    return item["forge_rest_id"]


def _key_of_dependency(used: RepositoryDependency | DependencyBlame) -> str:
    dependency = used["dependency"]
    return json.dumps([dependency["dependency_name"], dependency["dependency_file"]])


def _check(filters: Mapping[str, Any], kind: type[UserFilter] | type[RepositoryFilter]) -> Mapping[str, Any]:
    """Raises a ``TypeError`` for a filter that doesn't exist: it would limit nothing."""
    unknown = next((name for name in filters if name not in kind.__annotations__), None)
    if unknown is not None:
        raise TypeError(f"there is no filter {unknown}; there are {', '.join(kind.__annotations__)}")
    return filters


def _watch(
    sender: Sender,
    path: str,
    filters: Mapping[str, Any],
    since: int | None,
    resume: WatchState | None,
    budget: int | None,
    page_size: int,
) -> Watch[Any]:
    for name in ("sort", "changed_since"):
        if filters.get(name) is not None:
            raise TypeError(f"{name} must be left out in a watch")

    def open_list(changed_since: int | None, state: ListState | None) -> ItemList[Any]:
        url = write_list_url(path, {**filters, "changed_since": changed_since})
        return ItemList(sender, [url], _id_of, budget=budget, resume=state, page_size=page_size)

    return Watch(open_list, resume=resume, since=since)


def _find_item(
    sender: Sender, path: str, absent: str, max_credits: int | None, idempotency_key: str | None
) -> Any:
    """Returns an item; None: the service says with this code that there is none."""
    if max_credits is not None and not is_whole_number(max_credits):
        raise ValueError("max_credits must be a whole number of credits")
    key = create_random_key() if idempotency_key is None else idempotency_key
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters")
    try:
        return sender.send(path, idempotency_key=key, max_credits=max_credits).body
    except DevdataError as error:
        if error.code == absent:
            return None
        raise


def _count(sender: Sender, parameters: Mapping[str, Any]) -> Counts:
    body: Any = sender.send(write_list_url("counts", parameters)).body
    return Counts(body["data"], body["total"], body["others"], body["none"])


def _quote(sender: Sender, url: str) -> Quote:
    # The price of a page with one item: 1, or 0 if the key isn't metered.
    path = resize_page(url, 1)
    try:
        response = sender.send(path, method="HEAD")
    except InvalidRequestError:
        # Only the response to GET has a message that says which rule is broken.
        sender.send(path, max_credits=0)
        raise
    return Quote(response.total, response.total * response.info.cost)
