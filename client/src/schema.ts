// Generated from openapi.yml by `npm run client`.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A count. */
        Count: number;
        /**
         * Format: int64
         * @description A version of the dataset.
         */
        DatasetVersion: number;
        /**
         * Format: int64
         * @description Unix timestamp, in seconds.
         */
        Timestamp: number;
        /**
         * Format: int64
         * @description Unix timestamp, in seconds.
         */
        NullableTimestamp: number | null;
        /** @description 1 to 100 letters, digits, `-`, `_`, `.`, `[` or `]`, and not `.` or `..`. */
        AccountName: string;
        /** @description Unix seconds, up to 253402300799, or a date that exists, such as `2026-01-31` (midnight UTC). */
        SecondsOrDate: string;
        /**
         * @description Role of the key.
         * @enum {string}
         */
        Role: "user" | "admin";
        /**
         * @description Stable code of an error. Codes don't change. More may be added.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_host" | "invalid_url" | "invalid_parameter" | "invalid_body" | "missing_authorization" | "invalid_authorization_format" | "missing_api_key" | "invalid_api_key_format" | "invalid_api_key" | "insufficient_permissions" | "admin_required" | "user_keys_only" | "origin_not_allowed" | "insufficient_credits" | "max_credits_exceeded" | "route_not_found" | "user_not_found" | "repository_not_found" | "key_not_found" | "connection_not_found" | "method_not_allowed" | "request_timeout" | "reference_conflict" | "balance_out_of_range" | "changes_expired" | "body_too_large" | "url_too_long" | "unsupported_media_type" | "idempotency_conflict" | "rate_limit_exceeded" | "headers_too_large" | "internal_error" | "database_unavailable" | "over_capacity" | "filter_not_ready" | "keys_over_http_off" | "starting_up" | "shutting_down" | "docs_unavailable" | "http_version_not_supported";
        /** @description The body of every error. */
        ErrorBody: {
            /** @description What went wrong, and what to do. */
            error: string;
        };
        /** @description Facts about the request. */
        Meta: {
            /** @description Unique id of the request, the same as `X-Request-Id`. */
            request_id: string;
            /** @description Unix timestamp of the response, in seconds. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description Execution time in milliseconds. */
            execution_time: components["schemas"]["Count"];
        };
        /** @description The position of a page in its list. */
        Pagination: {
            /** @description Number of this page, from 1. */
            page: number;
            /** @description Items per page. */
            per_page: number;
            /** @description Number of the next page; 0 on the last page. */
            next_page: components["schemas"]["Count"];
            /** @description Number of the previous page; 0 on page 1. */
            prev_page: components["schemas"]["Count"];
            /** @description Whether there is a next page. */
            has_more: boolean;
        };
        /** @description An account on the code-hosting platform. */
        User: {
            /**
             * Format: int64
             * @description Id of the user in the platform's REST API.
             */
            forge_rest_id: number;
            /** @description Id of the user in the platform's GraphQL API. */
            forge_graphql_id: string;
            /** @description Username. */
            login: string;
            /** @description Display name. */
            name: string | null;
            /** @description Email address of the user. */
            email: string | null;
            /** @description URL of the avatar image. */
            avatar_url: string | null;
            /** @description Company, as free text. */
            company: string | null;
            /** @description Location, as free text. */
            location: string | null;
            /** @description Short self-description. */
            bio: string | null;
            /** @description Number of followers. */
            followers: components["schemas"]["Count"];
            /** @description Number of users followed. */
            following: components["schemas"]["Count"];
            /** @description Type of the account: typically `User`; `Organization` and `Bot` occur, too. */
            type: string;
            /**
             * Format: date-time
             * @description When the account was created (ISO 8601).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the account was last updated (ISO 8601).
             */
            updated_at: string;
        };
        /** @description A repository. */
        Repository: {
            /**
             * Format: int64
             * @description Id of the repository in this service.
             */
            internal_id: number;
            /**
             * Format: int64
             * @description Id of the repository in the platform's REST API. A negative id was made by this service.
             */
            forge_rest_id: number;
            /** @description Id of the repository in the platform's GraphQL API. */
            forge_graphql_id: string;
            /**
             * Format: uri
             * @description Repository URL.
             */
            url: string;
            /** @description Repository name. */
            name: string;
            /** @description The `owner/name` form. */
            full_name: string;
            /** @description Whether the repository is private. */
            private: boolean | null;
            /** @description Login of the owner. */
            owner_login: string;
            /** @description URL of the owner's avatar image. */
            owner_avatar_url: string | null;
            /** @description Description of the repository. */
            description: string | null;
            /** @description URL of the homepage, as the owner wrote it. */
            homepage: string | null;
            /** @description Whether the repository is a fork. */
            fork: boolean | null;
            /** @description Number of forks. */
            forks_count: components["schemas"]["NullableCount"];
            /** @description Whether the repository is archived. */
            archived: boolean | null;
            /** @description Whether the repository is disabled. */
            disabled: boolean | null;
            /** @description License. */
            license: string | null;
            /** @description Primary programming language. */
            language: string | null;
            /** @description Number of stars. */
            stargazers_count: components["schemas"]["NullableCount"];
            /** @description Number of watchers. */
            watchers_count: components["schemas"]["NullableCount"];
            /** @description Number of open issues. */
            open_issues_count: components["schemas"]["NullableCount"];
            /** @description Whether issues are enabled. */
            has_issues: boolean | null;
            /** @description Whether discussions are enabled. */
            has_discussions: boolean | null;
            /** @description Whether projects are enabled. */
            has_projects: boolean | null;
            /** @description When the repository was created (Unix timestamp). */
            created_at: components["schemas"]["NullableTimestamp"];
            /** @description Time of the last update (Unix timestamp). */
            updated_at: components["schemas"]["NullableTimestamp"];
            /** @description When commits were last pushed (Unix timestamp). */
            pushed_at: components["schemas"]["NullableTimestamp"];
            /** @description Visibility, typically `public`. */
            visibility: string | null;
            /** @description Size in KB. */
            size: components["schemas"]["NullableCount"];
            /** @description Default branch name. */
            default_branch: string | null;
        };
        /** @description A repository with its dependencies, unless the request excludes them. */
        ListedRepository: {
            /**
             * Format: int64
             * @description Id of the repository in this service.
             */
            internal_id: number;
            /**
             * Format: int64
             * @description Id of the repository in the platform's REST API. A negative id was made by this service.
             */
            forge_rest_id: number;
            /** @description Id of the repository in the platform's GraphQL API. */
            forge_graphql_id: string;
            /**
             * Format: uri
             * @description Repository URL.
             */
            url: string;
            /** @description Repository name. */
            name: string;
            /** @description The `owner/name` form. */
            full_name: string;
            /** @description Whether the repository is private. */
            private: boolean | null;
            /** @description Login of the owner. */
            owner_login: string;
            /** @description URL of the owner's avatar image. */
            owner_avatar_url: string | null;
            /** @description Description of the repository. */
            description: string | null;
            /** @description URL of the homepage, as the owner wrote it. */
            homepage: string | null;
            /** @description Whether the repository is a fork. */
            fork: boolean | null;
            /** @description Number of forks. */
            forks_count: components["schemas"]["NullableCount"];
            /** @description Whether the repository is archived. */
            archived: boolean | null;
            /** @description Whether the repository is disabled. */
            disabled: boolean | null;
            /** @description License. */
            license: string | null;
            /** @description Primary programming language. */
            language: string | null;
            /** @description Number of stars. */
            stargazers_count: components["schemas"]["NullableCount"];
            /** @description Number of watchers. */
            watchers_count: components["schemas"]["NullableCount"];
            /** @description Number of open issues. */
            open_issues_count: components["schemas"]["NullableCount"];
            /** @description Whether issues are enabled. */
            has_issues: boolean | null;
            /** @description Whether discussions are enabled. */
            has_discussions: boolean | null;
            /** @description Whether projects are enabled. */
            has_projects: boolean | null;
            /** @description When the repository was created (Unix timestamp). */
            created_at: components["schemas"]["NullableTimestamp"];
            /** @description Time of the last update (Unix timestamp). */
            updated_at: components["schemas"]["NullableTimestamp"];
            /** @description When commits were last pushed (Unix timestamp). */
            pushed_at: components["schemas"]["NullableTimestamp"];
            /** @description Visibility, typically `public`. */
            visibility: string | null;
            /** @description Size in KB. */
            size: components["schemas"]["NullableCount"];
            /** @description Default branch name. */
            default_branch: string | null;
            /** @description Dependencies of the repository. Empty if there are none, absent with `exclude=dependencies`. */
            dependencies?: components["schemas"]["RepositoryDependency"][] | null;
        };
        /** @description A count; null if unknown. */
        NullableCount: number | null;
        /** @description A dependency of a repository, with its status and the time of its use. */
        RepositoryDependency: {
            /**
             * Format: uri
             * @description Repository URL.
             */
            url: string;
            /** @description Time of the first use (Unix timestamp). */
            first_use_date: components["schemas"]["NullableTimestamp"];
            /** @description Time of the last use (Unix timestamp); null while the dependency is still declared, or if the time is unknown. */
            last_use_date: components["schemas"]["NullableTimestamp"];
            /** @description Time of the last update (Unix timestamp). */
            updated_at: components["schemas"]["NullableTimestamp"];
            /** @description `active` while the dependency is declared, then `removed`. */
            status: components["schemas"]["DependencyStatus"] | null;
            dependency: components["schemas"]["Dependency"];
        };
        /** @description A dependency of a repository, and the commits that added and removed it. */
        DependencyBlame: {
            dependency: components["schemas"]["Dependency"];
            /** @description The first commit that declared it; null if it is unknown. */
            added: components["schemas"]["BlamedCommit"] | null;
            /** @description The last commit that removed it; null while it is declared, or if the commit is unknown. */
            removed: components["schemas"]["BlamedCommit"] | null;
        };
        /** @description A commit that added or removed a dependency. */
        BlamedCommit: {
            /** @description Hash of the commit. */
            commit_hash: string;
            /** @description Committer date (Unix timestamp). */
            date: components["schemas"]["NullableTimestamp"];
            /** @description Email address of the author, as the commit has it. */
            author_email: string;
        };
        /**
         * @description Whether a dependency is still declared.
         * @enum {string}
         */
        DependencyStatus: "active" | "removed";
        /** @description A package, and the file that declares it. */
        Dependency: {
            /** @description Name of the package. */
            dependency_name: string;
            /** @description Base name of the manifest that declares it, such as `package.json`, or a pattern such as `*.csproj`. */
            dependency_file: string;
        };
        /** @description A commit. */
        Commit: {
            /** @description Hash of the commit. */
            commit_hash: string;
            /** @description Email address of the author, as git recorded it. */
            author_email: string;
            /** @description Author date (Unix timestamp). */
            author_date: components["schemas"]["NullableTimestamp"];
            /** @description Email address of the committer, as git recorded it. */
            committer_email: string;
            /** @description Committer date (Unix timestamp). */
            committer_date: components["schemas"]["NullableTimestamp"];
            /** @description Commit message. */
            message: string;
            /**
             * Format: uri
             * @description The `url` of the commit's repository.
             */
            repo_url: string;
        };
        /** @description The key and its balance. */
        CreditStatus: {
            /**
             * Format: uuid
             * @description The API key of the request.
             */
            api_key: string;
            /** @description Balance of the key. */
            remaining_credits: components["schemas"]["Count"];
            role: components["schemas"]["Role"];
        };
        /** @description One change of a key's balance. */
        UsageEntry: {
            /** @description Number of the entry, from 1, without gaps except for folded entries. */
            entry: number;
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description `charge`: you paid for a response. `grant`: the operator added credits or took them away. `balance`:
             *     replaces all entries before it, which were folded.
             * @enum {string}
             */
            kind: "charge" | "grant" | "balance";
            /**
             * Format: uuid
             * @description The `X-Request-Id` of the charged request.
             */
            request_id: string | null;
            /** @description Method of the request, `GET`. */
            method: string | null;
            /**
             * @description Path of the request, without the query. If nothing was found, or if the path names a forgotten person, it
             *     is the endpoint, such as `/users/{login}`.
             */
            path: string | null;
            /**
             * @description Items in the response; 0 for an unknown user, which costs one credit. A repetition with the same
             *     `Idempotency-Key` can cost less than its number of items.
             */
            items: number | null;
            /** @description Credits charged. For a repetition, only what wasn't paid yet. */
            cost: components["schemas"]["Count"];
            /** @description Credits granted; negative if they were taken away. */
            granted: number;
            /** @description What the operator calls the grant, such as an invoice. Null for a grant without a reference. */
            reference: string | null;
            /** @description Balance after this entry. */
            balance: components["schemas"]["Count"];
        };
        /** @description A page of a key's ledger. */
        UsageList: {
            /** @description The entries of this page. */
            data: components["schemas"]["UsageEntry"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description What a key spent on one day at one endpoint. */
        UsageSum: {
            /**
             * Format: date
             * @description The day (UTC).
             */
            day: string;
            /** @description The endpoint, as a path of this document. */
            endpoint: string;
            /** @description Charged requests. */
            requests: components["schemas"]["Count"];
            /** @description Items in their responses. */
            items: components["schemas"]["Count"];
            /** @description Credits charged for them. */
            cost: components["schemas"]["Count"];
        };
        /** @description A page of daily sums. */
        UsageByDayList: {
            /** @description The sums of this page. */
            data: components["schemas"]["UsageSum"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An assistant that was connected with a key, in place of which it has a token. */
        Connection: {
            /**
             * Format: int64
             * @description Id of the connection.
             */
            id: number;
            /** @description What the assistant calls itself. Anybody can choose any name. */
            name: string;
            /**
             * @description Host that got access, with its port if there is one. `127.0.0.1`, `[::1]` or `localhost` is a program on the
             *     computer of the person who connected it.
             */
            host: string;
            /**
             * Format: int64
             * @description What one call may cost; null if there is no such limit.
             */
            max_credits_per_call: number | null;
            /**
             * Format: int64
             * @description What all calls together may cost.
             */
            max_credits: number;
            /**
             * Format: int64
             * @description What its calls have cost.
             */
            spent_credits: number;
            /**
             * Format: date-time
             * @description When it was allowed.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends.
             */
            expires_at: string;
        };
        /** @description The connections of a key. */
        ConnectionList: {
            /** @description The connections. */
            data: components["schemas"]["Connection"][];
            meta: components["schemas"]["Meta"];
        };
        /** @description An API key as operators see it, without the key itself. */
        Key: {
            /**
             * Format: int64
             * @description Id of the key for the command line.
             */
            id: number;
            /** @description Name that the operator gave the key. */
            name: string | null;
            role: components["schemas"]["Role"];
            /** @description What a `user` key may read. An `admin` key with `metrics:read` may use nothing but `/metrics`, and one with `keys:write` nothing but `/admin/keys`. */
            scopes: ("users:read" | "repos:read" | "metrics:read" | "keys:write")[];
            /** @description Balance of the key. */
            remaining_credits: components["schemas"]["Count"];
            /** @description Rate limit as requests/seconds: `100/60` is 100 requests in 60 seconds. Null if there is none. */
            rate_limit: string | null;
            /** @description The operator's webhook is told when a charge takes the balance below this. Null if it isn't. */
            notify_below: number | null;
            /**
             * @description Whether the key works. Only `active` keys do.
             * @enum {string}
             */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description When the key was created (ISO 8601).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key stops working (ISO 8601); null if it doesn't expire.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was last used (ISO 8601), to the minute; null if never.
             */
            last_used_at: string | null;
        };
        /** @description A key to create. */
        NewKey: {
            /** @description A name for this request, such as the number of an order. 1 to 100 characters without control characters. */
            reference: string;
            /** @description Starting balance. 0 if it is missing. */
            credits?: number;
            /** @description A name for your own records; null for none. 1 to 100 characters without control characters. */
            name?: string | null;
            /** @description What the key may read. Everything if it is missing. */
            scopes?: ("users:read" | "repos:read")[];
            /** @description Rate limit as requests/seconds, such as `100/60`. Null for none. If it is missing, the operator's default. */
            rate_limit?: string | null;
            /** @description The operator's webhook is told when a charge takes the balance below this. Null for none. */
            notify_below?: number | null;
            /** @description When the key stops working, a date (0:00 UTC) or a timestamp in the future (ISO 8601). Null for never. */
            expires_at?: string | null;
        };
        /** @description What to change of a key. What is missing stays as it is. */
        KeyChange: {
            /** @description A name for your own records; null for none. 1 to 100 characters without control characters. */
            name?: string | null;
            /** @description Rate limit as requests/seconds: `100/60` is 100 requests in 60 seconds. Null for none. */
            rate_limit?: string | null;
            /** @description The operator's webhook is told when a charge takes the balance below this. Null for none. */
            notify_below?: number | null;
        };
        /** @description Credits to grant. */
        NewGrant: {
            /** @description Credits to add, or to withdraw if negative. Not 0. */
            credits: number;
            /** @description A name for this grant, such as the number of an invoice. 1 to 100 characters without control characters. */
            reference: string;
        };
        /** @description How to replace the secret of a key. */
        KeyRotation: {
            /** @description A name for this rotation. 1 to 100 characters without control characters. */
            reference?: string;
            /** @description How long the old secret still works. 0 if it is missing. */
            grace_seconds?: number;
        };
        /** @description An API key with its secret. */
        CreatedKey: {
            /**
             * Format: int64
             * @description Id of the key.
             */
            id: number;
            /**
             * Format: uuid
             * @description The key itself, which clients send. It is shown once. Null if the request was repeated.
             */
            secret: string | null;
            key: components["schemas"]["Key"];
        };
        /** @description What became of a grant. */
        KeyGrant: {
            /**
             * @description Whether the credits were granted now, or before under the same reference.
             * @enum {string}
             */
            outcome: "granted" | "repeated";
            key: components["schemas"]["Key"];
        };
        /** @description A user or a repository that was removed. */
        Removal: {
            /**
             * Format: int64
             * @description Id of the item in the platform's REST API.
             */
            forge_rest_id: number;
            /**
             * @description Kind of the item.
             * @enum {string}
             */
            kind: "user" | "repository";
            /** @description Version of the dataset after the removal. */
            version: components["schemas"]["DatasetVersion"];
        };
        /** @description Dependencies, the most used ones first. */
        UsedDependencyList: {
            /** @description The dependencies that were found. */
            data: components["schemas"]["UsedDependency"][];
            meta: components["schemas"]["Meta"];
        };
        /** @description A dependency, and the numbers of those who use it. */
        UsedDependency: {
            /** @description Name of the dependency, in its most used spelling. */
            dependency_name: string;
            /** @description Base name of the manifest that declares it. */
            dependency_file: string;
            /** @description Users of the dependency. */
            users: components["schemas"]["Count"];
            /** @description Repositories that declare the dependency, or have declared it. */
            repositories: components["schemas"]["Count"];
        };
        /** @description How many items used a dependency, month by month. */
        DependencyHistory: {
            /** @description The months, in their order. */
            data: components["schemas"]["HistoryMonth"][];
            /** @description Items whose first or last use is unknown. The months count what is known of them: a first use, even if it is unknown when the use ended. */
            unknown: components["schemas"]["UnknownUses"];
            meta: components["schemas"]["Meta"];
        };
        /** @description A month, and who used a dependency in it. */
        HistoryMonth: {
            /** @description The month in UTC, such as `2026-03`. */
            month: string;
            /** @description Repositories. */
            repositories: components["schemas"]["MonthCounts"];
            /** @description Users. */
            users: components["schemas"]["MonthCounts"];
        };
        /** @description Numbers of the items of a list. */
        MonthCounts: {
            /** @description Items whose first use was in the month. */
            started: components["schemas"]["Count"];
            /** @description Items whose last use ended in the month. */
            stopped: components["schemas"]["Count"];
            /** @description Items that had started by the end of the month, less those of them that had stopped. */
            active: components["schemas"]["Count"];
        };
        /** @description Numbers of items with a date that is unknown. */
        UnknownUses: {
            /** @description Repositories. */
            repositories: components["schemas"]["Count"];
            /** @description Users. */
            users: components["schemas"]["Count"];
        };
        /** @description The most frequent values of some items, and how many items have each. */
        Counts: {
            /** @description The 20 most frequent values, by count, then by value. */
            data: components["schemas"]["ValueCount"][];
            /** @description The number of all items that the filters match. */
            total: components["schemas"]["Count"];
            /** @description The number of items that have another value, so that all numbers add up to `total`. Null with `by=dependency`, because an item may have several dependencies. */
            others: number | null;
            /** @description The number of items without a value. */
            none: components["schemas"]["Count"];
            meta: components["schemas"]["Meta"];
        };
        /** @description A value, and the number of items that have it. */
        ValueCount: {
            /** @description The value, as a filter takes it. */
            value: string;
            /** @description The items that have it. */
            count: components["schemas"]["Count"];
        };
        /** @description Locations, the most frequent ones first. */
        LocationTextList: {
            /** @description The locations that were found. */
            data: components["schemas"]["LocationText"][];
            meta: components["schemas"]["Meta"];
        };
        /** @description A location, and the number of users who have it. */
        LocationText: {
            /** @description The text, as one of the users has it. */
            location: string;
            /** @description The country that the text names (ISO 3166-1 alpha-2). Null if it names none, several, or a place that may be in several. */
            country: string | null;
            /** @description Users with this location, ignoring case and marks. */
            users: components["schemas"]["Count"];
        };
        /** @description Companies, the most frequent ones first. */
        CompanyTextList: {
            /** @description The companies that were found. */
            data: components["schemas"]["CompanyText"][];
            meta: components["schemas"]["Meta"];
        };
        /** @description A company, and the number of users who have it. */
        CompanyText: {
            /** @description The text, as one of the users has it. */
            company: string;
            /** @description Users with this company, ignoring case, marks and an `@` at the start of a word. */
            users: components["schemas"]["Count"];
        };
        /** @description A page of removals. */
        RemovalList: {
            /** @description The removals of this page. */
            data: components["schemas"]["Removal"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A page of users. */
        UserList: {
            /** @description The users of this page. */
            data: components["schemas"]["User"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A page of repositories. */
        RepositoryList: {
            /** @description The repositories of this page. */
            data: components["schemas"]["ListedRepository"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A page of commits. */
        CommitList: {
            /** @description The commits of this page. */
            data: components["schemas"]["Commit"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A page of dependencies. */
        RepositoryDependencyList: {
            /** @description The dependencies of this page. */
            data: components["schemas"]["RepositoryDependency"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A page of dependencies with their commits. */
        DependencyBlameList: {
            /** @description The dependencies of this page. */
            data: components["schemas"]["DependencyBlame"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A page of keys. */
        KeyList: {
            /** @description The keys of this page. */
            data: components["schemas"]["Key"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The state of the service. */
        Health: {
            /**
             * @description The service can serve requests.
             * @constant
             */
            status: "ok";
            /**
             * @description The kind of database.
             * @enum {string}
             */
            database: "postgresql" | "embedded";
        };
        /** @description The versions of the service and its data. */
        Version: {
            /** @description Version of the service. */
            version: string;
            /** @description Commit that the service runs; null if unknown. */
            commit: string | null;
            /** @description Runtime and its version. */
            runtime: string;
            /** @description The state of the data; null while the database is unavailable, too slow, or has no schema yet. */
            dataset: components["schemas"]["Dataset"] | null;
        };
        /** @description The state of the data. */
        Dataset: {
            /** @description A number that grows with every change of the data. */
            version: components["schemas"]["DatasetVersion"];
            /**
             * Format: date-time
             * @description When the data last changed (ISO 8601).
             */
            updated_at: string;
        };
        /**
         * @description What the dataset covers. `countries` has at most 250, `packages` 50, `companies`, `languages` and
         *     `manifests` 20, the most frequent ones.
         */
        Coverage: {
            dataset: components["schemas"]["Dataset"];
            users: components["schemas"]["Count"];
            repositories: components["schemas"]["Count"];
            commits: components["schemas"]["Count"];
            /** @description Different dependencies that repositories declare or have declared. A name in two manifests counts twice. */
            dependencies: components["schemas"]["Count"];
            /**
             * @description When the data was loaded (ISO 8601). `newest` is when the last load was applied. `oldest` is when the last
             *     complete load began, one that looked at everything: a mirror of files, or a refresh from GitHub. Before
             *     there is one, it is when the first load began. Null if nothing was ever loaded.
             */
            refreshed: {
                /** Format: date-time */
                newest: string | null;
                /** Format: date-time */
                oldest: string | null;
            };
            /**
             * Format: date
             * @description The day of the newest push to a repository (UTC), no later than today. Null if there is none.
             */
            last_push: string | null;
            /**
             * Format: date
             * @description The day of the newest commit of a user (UTC), no later than today. Null if there is none.
             */
            last_commit: string | null;
            /** @description How many repositories had their last push in each year, the newest first. */
            push_years: {
                year: number;
                repositories: components["schemas"]["Count"];
            }[];
            /** @description How many users made their last commit in each year, the newest first. */
            commit_years: {
                year: number;
                users: components["schemas"]["Count"];
            }[];
            /** @description The share of users with each field, from 0 to 1. An empty text doesn't count. */
            user_fields: {
                [key: string]: number;
            };
            /** @description The countries of users (ISO 3166-1 alpha-2), as far as the text of their location names one. */
            countries: {
                country: string;
                users: components["schemas"]["Count"];
            }[];
            /** @description The most frequent companies of users, as `/companies` counts them. */
            companies: components["schemas"]["CompanyText"][];
            /** @description The most frequent main languages of repositories. */
            languages: {
                language: string;
                repositories: components["schemas"]["Count"];
            }[];
            /** @description The most used manifests, with the users and repositories of all dependencies that they declare. */
            manifests: {
                dependency_file: string;
                users: components["schemas"]["Count"];
                repositories: components["schemas"]["Count"];
            }[];
            /** @description The most used dependencies, as `/dependencies` ranks them, of those with at least three users or repositories. */
            packages: components["schemas"]["UsedDependency"][];
            /** @description The last 100 loads, the newest first, also those that changed nothing. */
            loads: {
                /**
                 * Format: date-time
                 * @description When the load became visible (ISO 8601).
                 */
                applied_at: string;
                /** @description The operator's command, such as `import github`. */
                command: string;
                /** @description The host of the forge, the number of clones, or the kinds of files, such as `users, commits`. */
                source: string;
                /** @description The version of the dataset after the load. */
                dataset_version: components["schemas"]["DatasetVersion"];
                users: components["schemas"]["LoadedRows"];
                repositories: components["schemas"]["LoadedRows"];
                commits: components["schemas"]["LoadedRows"];
            }[];
        };
        /** @description How many rows a load added, updated and removed. */
        LoadedRows: {
            added: components["schemas"]["Count"];
            updated: components["schemas"]["Count"];
            removed: components["schemas"]["Count"];
        };
        /** @description A linkset (RFC 9264). */
        ApiCatalog: {
            /** @description The contexts of links, each with its links by relation. */
            linkset: ({
                /**
                 * Format: uri
                 * @description The context of the links.
                 */
                anchor: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        /** @description An OpenAPI document. */
        OpenapiDocument: {
            /** @description Version of the OpenAPI specification. */
            openapi: string;
            /** @description Title, version and license. */
            info: Record<string, never>;
            /** @description The base URL of this service. */
            servers: {
                /** @description Base URL. */
                url: string;
            }[];
            /** @description Every path. */
            paths: Record<string, never>;
            /** @description Definitions that the paths share. */
            components: Record<string, never>;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
