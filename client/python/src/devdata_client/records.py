"""What the service's responses have in them, as dicts. Generated from openapi.yml by ``npm run client``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class User(TypedDict):
    """An account on the code-hosting platform."""

    forge_rest_id: int
    """Id of the user in the platform's REST API."""
    forge_graphql_id: str
    """Id of the user in the platform's GraphQL API."""
    login: str
    """Username."""
    name: str | None
    """Display name."""
    email: str | None
    """Email address of the user."""
    avatar_url: str | None
    """URL of the avatar image."""
    company: str | None
    """Company, as free text."""
    location: str | None
    """Location, as free text."""
    bio: str | None
    """Short self-description."""
    followers: int
    """Number of followers."""
    following: int
    """Number of users followed."""
    type: str
    """Type of the account: typically ``User``; ``Organization`` and ``Bot`` occur, too."""
    created_at: str
    """When the account was created (ISO 8601)."""
    updated_at: str
    """When the account was last updated (ISO 8601)."""


class Repository(TypedDict):
    """A repository."""

    internal_id: int
    """Id of the repository in this service."""
    forge_rest_id: int
    """Id of the repository in the platform's REST API. A negative id was made by this service."""
    forge_graphql_id: str
    """Id of the repository in the platform's GraphQL API."""
    url: str
    """Repository URL."""
    name: str
    """Repository name."""
    full_name: str
    """The ``owner/name`` form."""
    private: bool | None
    """Whether the repository is private."""
    owner_login: str
    """Login of the owner."""
    owner_avatar_url: str | None
    """URL of the owner's avatar image."""
    description: str | None
    """Description of the repository."""
    homepage: str | None
    """URL of the homepage, as the owner wrote it."""
    fork: bool | None
    """Whether the repository is a fork."""
    forks_count: int | None
    """Number of forks."""
    archived: bool | None
    """Whether the repository is archived."""
    disabled: bool | None
    """Whether the repository is disabled."""
    license: str | None
    """License."""
    language: str | None
    """Primary programming language."""
    stargazers_count: int | None
    """Number of stars."""
    watchers_count: int | None
    """Number of watchers."""
    open_issues_count: int | None
    """Number of open issues."""
    has_issues: bool | None
    """Whether issues are enabled."""
    has_discussions: bool | None
    """Whether discussions are enabled."""
    has_projects: bool | None
    """Whether projects are enabled."""
    created_at: int | None
    """When the repository was created (Unix timestamp)."""
    updated_at: int | None
    """Time of the last update (Unix timestamp)."""
    pushed_at: int | None
    """When commits were last pushed (Unix timestamp)."""
    visibility: str | None
    """Visibility, typically ``public``."""
    size: int | None
    """Size in KB."""
    default_branch: str | None
    """Default branch name."""


DependencyStatus = Literal["active", "removed"]
"""Whether a dependency is still declared."""



class Dependency(TypedDict):
    """A package, and the file that declares it."""

    dependency_name: str
    """Name of the package."""
    dependency_file: str
    """Base name of the manifest that declares it, such as ``package.json``, or a pattern such as ``*.csproj``."""


class RepositoryDependency(TypedDict):
    """A dependency of a repository, with its status and the time of its use."""

    url: str
    """Repository URL."""
    first_use_date: int | None
    """Time of the first use (Unix timestamp)."""
    last_use_date: int | None
    """Time of the last use (Unix timestamp); null while the dependency is still declared, or if the time is unknown."""
    updated_at: int | None
    """Time of the last update (Unix timestamp)."""
    status: DependencyStatus | None
    """``active`` while the dependency is declared, then ``removed``."""
    dependency: Dependency
    """A package, and the file that declares it."""


class ListedRepository(Repository):
    """A repository with its dependencies, unless the request excludes them."""

    dependencies: NotRequired[list[RepositoryDependency] | None]
    """Dependencies of the repository. Empty if there are none, absent with ``exclude=dependencies``."""


class BlamedCommit(TypedDict):
    """A commit that added or removed a dependency."""

    commit_hash: str
    """Hash of the commit."""
    date: int | None
    """Committer date (Unix timestamp)."""
    author_email: str
    """Email address of the author, as the commit has it."""


class DependencyBlame(TypedDict):
    """A dependency of a repository, and the commits that added and removed it."""

    dependency: Dependency
    """A package, and the file that declares it."""
    added: BlamedCommit | None
    """The first commit that declared it; null if it is unknown."""
    removed: BlamedCommit | None
    """The last commit that removed it; null while it is declared, or if the commit is unknown."""


class UsedDependency(TypedDict):
    """A dependency, and the numbers of those who use it."""

    dependency_name: str
    """Name of the dependency, in its most used spelling."""
    dependency_file: str
    """Base name of the manifest that declares it."""
    users: int
    """Users of the dependency."""
    repositories: int
    """Repositories that declare the dependency, or have declared it."""


class LocationText(TypedDict):
    """A location, and the number of users who have it."""

    location: str
    """The text, as one of the users has it."""
    country: str | None
    """The country that the text names (ISO 3166-1 alpha-2). Null if it names none, several, or a place that may be in several."""
    users: int
    """Users with this location, ignoring case and marks."""


class CompanyText(TypedDict):
    """A company, and the number of users who have it."""

    company: str
    """The text, as one of the users has it."""
    users: int
    """Users with this company, ignoring case, marks and an ``@`` at the start of a word."""


class ValueCount(TypedDict):
    """A value, and the number of items that have it."""

    value: str
    """The value, as a filter takes it. Filters can't select a value that contains a comma, because they read it as two."""
    count: int
    """The items that have it."""


class MonthCounts(TypedDict):
    """Numbers of the items of a list."""

    started: int
    """Items whose first use was in the month."""
    stopped: int
    """Items whose last use ended in the month."""
    active: int
    """Items that had started by the end of the month, less those of them that had stopped."""


class HistoryMonth(TypedDict):
    """A month, and who used a dependency in it."""

    month: str
    """The month in UTC, such as ``2026-03``."""
    repositories: MonthCounts
    """Repositories."""
    users: MonthCounts
    """Users."""


class UnknownUses(TypedDict):
    """Numbers of items with a date that is unknown."""

    repositories: int
    """Repositories."""
    users: int
    """Users."""


class Meta(TypedDict):
    """Facts about the request."""

    request_id: str
    """Unique id of the request, the same as ``X-Request-Id``."""
    timestamp: int
    """Unix timestamp of the response, in seconds."""
    execution_time: int
    """Execution time in milliseconds."""


class DependencyHistory(TypedDict):
    """How many items used a dependency, month by month."""

    data: list[HistoryMonth]
    """The months, in their order."""
    unknown: UnknownUses
    """Items whose first or last use is unknown. The months count what is known of them: a first use, even if it is unknown when the use ended."""
    meta: Meta
    """Facts about the request."""


class Commit(TypedDict):
    """A commit."""

    commit_hash: str
    """Hash of the commit."""
    author_email: str
    """Email address of the author, as git recorded it."""
    author_date: int | None
    """Author date (Unix timestamp)."""
    committer_email: str
    """Email address of the committer, as git recorded it."""
    committer_date: int | None
    """Committer date (Unix timestamp)."""
    message: str
    """Commit message."""
    repo_url: str
    """The ``url`` of the commit's repository."""


class Removal(TypedDict):
    """A user or a repository that was removed."""

    forge_rest_id: int
    """Id of the item in the platform's REST API."""
    kind: Literal["user", "repository"]
    """Kind of the item."""
    version: int
    """Version of the dataset after the removal."""


Role = Literal["user", "admin"]
"""Role of the key."""



class CreditStatus(TypedDict):
    """The key and its balance."""

    api_key: str
    """The API key of the request."""
    remaining_credits: int
    """Balance of the key."""
    role: Role
    """Role of the key."""


class UsageEntry(TypedDict):
    """One change of a key's balance."""

    entry: int
    """Number of the entry, from 1, without gaps except for folded entries."""
    timestamp: int
    """Unix timestamp, in seconds."""
    kind: Literal["charge", "grant", "balance"]
    """``charge``: you paid for a response. ``grant``: the operator added credits or took them away. ``balance``: replaces all entries before it, which were folded."""
    request_id: str | None
    """The ``X-Request-Id`` of the charged request."""
    method: str | None
    """Method of the request, ``GET``."""
    path: str | None
    """Path of the request, without the query. If nothing was found, or if the path names a forgotten person, it is the endpoint, such as ``/users/{login}``."""
    items: int | None
    """Items in the response; 0 for an unknown user, which costs one credit. A repetition with the same ``Idempotency-Key`` can cost less than its number of items."""
    cost: int
    """Credits charged. For a repetition, only what wasn't paid yet."""
    granted: int
    """Credits granted; negative if they were taken away."""
    reference: str | None
    """What the operator calls the grant, such as an invoice. Null for a grant without a reference."""
    balance: int
    """Balance after this entry."""


class UsageSum(TypedDict):
    """What a key spent on one day at one endpoint."""

    day: str
    """The day (UTC)."""
    endpoint: str
    """The endpoint, as a path of this document."""
    requests: int
    """Charged requests."""
    items: int
    """Items in their responses."""
    cost: int
    """Credits charged for them."""


class Connection(TypedDict):
    """An assistant that is connected with a key. It has a token instead of the key."""

    id: int
    """Id of the connection."""
    name: str
    """What the assistant calls itself. Anybody can choose any name."""
    host: str
    """Host that got access, with its port if there is one. ``127.0.0.1``, ``[::1]`` or ``localhost`` is a program on the computer of the person who connected it."""
    max_credits_per_call: int | None
    """What one call may cost; null if there is no such limit."""
    max_credits: int
    """What all calls together may cost."""
    spent_credits: int
    """What its calls have cost."""
    created_at: str
    """When the connection was allowed."""
    expires_at: str
    """When the connection ends."""
