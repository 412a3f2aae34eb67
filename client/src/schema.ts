// Generated from openapi.yml by `npm run client`.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A number of things. */
        Count: number;
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
        /** @description Letters, digits, `-`, `_`, `.`, `[` and `]`, at most 100 of them, and not `.` or `..`. */
        AccountName: string;
        /**
         * @description Role of the key.
         * @enum {string}
         */
        Role: "user" | "admin";
        /**
         * @description What went wrong, for programs. Codes don't change; more may be added.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_host" | "invalid_url" | "invalid_parameter" | "missing_authorization" | "invalid_authorization_format" | "missing_api_key" | "invalid_api_key_format" | "invalid_api_key" | "insufficient_permissions" | "admin_required" | "insufficient_credits" | "max_credits_exceeded" | "route_not_found" | "user_not_found" | "repository_not_found" | "method_not_allowed" | "request_timeout" | "changes_expired" | "url_too_long" | "range_not_satisfiable" | "idempotency_conflict" | "rate_limit_exceeded" | "headers_too_large" | "internal_error" | "database_unavailable" | "over_capacity" | "shutting_down" | "docs_unavailable";
        /** @description The body of every error. */
        ErrorBody: {
            /** @description What went wrong, in one line. */
            error: string;
        };
        /** @description About the answer itself. */
        Meta: {
            /** @description Unique identifier of the request, the same as `X-Request-Id`. */
            request_id: string;
            /** @description Unix timestamp of the response, in seconds. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description Execution time in milliseconds. */
            execution_time: components["schemas"]["Count"];
        };
        /** @description Where in the list this page is. */
        Pagination: {
            /** @description Current page, starting at 1. */
            page: number;
            /** @description Items per page. */
            per_page: number;
            /** @description Next page number; 0 on the last page. */
            next_page: components["schemas"]["Count"];
            /** @description Previous page number; 0 on the first page. */
            prev_page: components["schemas"]["Count"];
            /** @description Whether more pages follow. */
            has_more: boolean;
        };
        /** @description An account of the platform. */
        User: {
            /**
             * Format: int64
             * @description User id in the platform's REST interface.
             */
            forge_rest_id: number;
            /** @description User id in the platform's GraphQL interface. */
            forge_graphql_id: string;
            /** @description Username. */
            login: string;
            /** @description Display name. */
            name: string | null;
            /** @description E-mail address of the user. */
            email: string | null;
            /** @description URL of the avatar image. */
            avatar_url: string | null;
            /** @description Company. */
            company: string | null;
            /** @description Location. */
            location: string | null;
            /** @description Description. */
            bio: string | null;
            /** @description Number of followers. */
            followers: components["schemas"]["Count"];
            /** @description Number of users followed. */
            following: components["schemas"]["Count"];
            /** @description User type, typically `User`. */
            type: string;
            /**
             * Format: date-time
             * @description ISO 8601 timestamp of account creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601 timestamp of the last update.
             */
            updated_at: string;
        };
        /** @description A repository. */
        Repository: {
            /**
             * Format: int64
             * @description Internal repository id.
             */
            internal_id: number;
            /**
             * Format: int64
             * @description Repository id in the platform's REST interface.
             */
            forge_rest_id: number;
            /** @description Repository id in the platform's GraphQL interface. */
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
            /** @description Whether private. */
            private: boolean | null;
            /** @description Login of the owner. */
            owner_login: string;
            /** @description Owner avatar URL. */
            owner_avatar_url: string | null;
            /** @description Description. */
            description: string | null;
            /** @description Homepage URL, as its owner wrote it. */
            homepage: string | null;
            /** @description Whether a fork. */
            fork: boolean | null;
            /** @description Number of forks. */
            forks_count: components["schemas"]["NullableCount"];
            /** @description Whether archived. */
            archived: boolean | null;
            /** @description Whether disabled. */
            disabled: boolean | null;
            /** @description License. */
            license: string | null;
            /** @description Primary language. */
            language: string | null;
            /** @description Number of stars. */
            stargazers_count: components["schemas"]["NullableCount"];
            /** @description Number of watchers. */
            watchers_count: components["schemas"]["NullableCount"];
            /** @description Number of open issues. */
            open_issues_count: components["schemas"]["NullableCount"];
            /** @description Issues enabled. */
            has_issues: boolean | null;
            /** @description Discussions enabled. */
            has_discussions: boolean | null;
            /** @description Projects enabled. */
            has_projects: boolean | null;
            /** @description Unix timestamp of creation. */
            created_at: components["schemas"]["NullableTimestamp"];
            /** @description Unix timestamp of the last update. */
            updated_at: components["schemas"]["NullableTimestamp"];
            /** @description Unix timestamp of the last push. */
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
             * @description Internal repository id.
             */
            internal_id: number;
            /**
             * Format: int64
             * @description Repository id in the platform's REST interface.
             */
            forge_rest_id: number;
            /** @description Repository id in the platform's GraphQL interface. */
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
            /** @description Whether private. */
            private: boolean | null;
            /** @description Login of the owner. */
            owner_login: string;
            /** @description Owner avatar URL. */
            owner_avatar_url: string | null;
            /** @description Description. */
            description: string | null;
            /** @description Homepage URL, as its owner wrote it. */
            homepage: string | null;
            /** @description Whether a fork. */
            fork: boolean | null;
            /** @description Number of forks. */
            forks_count: components["schemas"]["NullableCount"];
            /** @description Whether archived. */
            archived: boolean | null;
            /** @description Whether disabled. */
            disabled: boolean | null;
            /** @description License. */
            license: string | null;
            /** @description Primary language. */
            language: string | null;
            /** @description Number of stars. */
            stargazers_count: components["schemas"]["NullableCount"];
            /** @description Number of watchers. */
            watchers_count: components["schemas"]["NullableCount"];
            /** @description Number of open issues. */
            open_issues_count: components["schemas"]["NullableCount"];
            /** @description Issues enabled. */
            has_issues: boolean | null;
            /** @description Discussions enabled. */
            has_discussions: boolean | null;
            /** @description Projects enabled. */
            has_projects: boolean | null;
            /** @description Unix timestamp of creation. */
            created_at: components["schemas"]["NullableTimestamp"];
            /** @description Unix timestamp of the last update. */
            updated_at: components["schemas"]["NullableTimestamp"];
            /** @description Unix timestamp of the last push. */
            pushed_at: components["schemas"]["NullableTimestamp"];
            /** @description Visibility, typically `public`. */
            visibility: string | null;
            /** @description Size in KB. */
            size: components["schemas"]["NullableCount"];
            /** @description Default branch name. */
            default_branch: string | null;
            /** @description Dependencies of the repository; empty if there are none, absent with `exclude=dependencies`. */
            dependencies?: components["schemas"]["RepositoryDependency"][] | null;
        };
        /** @description A number of things, when it is known. */
        NullableCount: number | null;
        /** @description The use that a repository makes of a dependency. */
        RepositoryDependency: {
            /**
             * Format: uri
             * @description Repository URL.
             */
            url: string;
            /** @description Unix timestamp of first use. */
            first_use_date: components["schemas"]["NullableTimestamp"];
            /** @description Unix timestamp of last use; null while the dependency is still declared. */
            last_use_date: components["schemas"]["NullableTimestamp"];
            /** @description Unix timestamp of the last update. */
            updated_at: components["schemas"]["NullableTimestamp"];
            /** @description `active` while the dependency is still declared, `removed` once it is not. */
            status: components["schemas"]["DependencyStatus"] | null;
            dependency: components["schemas"]["Dependency"];
        };
        /**
         * @description Whether a dependency is still declared.
         * @enum {string}
         */
        DependencyStatus: "active" | "removed";
        /** @description A dependency and where it is declared. */
        Dependency: {
            /** @description Name of the dependency. */
            dependency_name: string;
            /** @description Base name of the manifest in which it is declared, such as `package.json` or `rails.gemspec`. */
            dependency_file: string;
        };
        /** @description A commit. */
        Commit: {
            /** @description Commit hash. */
            commit_hash: string;
            /** @description Author e-mail, as git recorded it. */
            author_email: string;
            /** @description Unix timestamp of the author date. */
            author_date: components["schemas"]["NullableTimestamp"];
            /** @description Committer e-mail, as git recorded it. */
            committer_email: string;
            /** @description Unix timestamp of the committer date. */
            committer_date: components["schemas"]["NullableTimestamp"];
            /** @description Commit message. */
            message: string;
            /**
             * Format: uri
             * @description Repository URL.
             */
            repo_url: string;
        };
        /** @description The calling key and what is left on it. */
        CreditStatus: {
            /**
             * Format: uuid
             * @description The calling API key.
             */
            api_key: string;
            /** @description Credits left on the key. */
            remaining_credits: components["schemas"]["Count"];
            role: components["schemas"]["Role"];
        };
        /** @description One change of a key's balance. */
        UsageEntry: {
            /** @description Number of the entry, from 1 without a gap; folded entries aside. */
            entry: number;
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description `charge`: paid for an answer. `grant`: credits given, or taken away by the operator. `balance`:
             *     stands for all entries before it, which were folded.
             * @enum {string}
             */
            kind: "charge" | "grant" | "balance";
            /**
             * Format: uuid
             * @description The request that was charged, as its `X-Request-Id` said.
             */
            request_id: string | null;
            /** @description Method of that request, `GET`. */
            method: string | null;
            /**
             * @description Path of that request, without the query. It is the endpoint, such as `/users/{login}`, if nothing was
             *     found, or if the path named a person who has been forgotten.
             */
            path: string | null;
            /**
             * @description Items in its response; 0 for an unknown user, which costs one credit. A repetition under an
             *     `Idempotency-Key` may cost less than it has items.
             */
            items: number | null;
            /** @description Credits charged for responses; for a repetition, what was not paid yet. */
            cost: components["schemas"]["Count"];
            /** @description Credits given; negative when they were taken away. */
            granted: number;
            /** @description Credits after it. */
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
            /** @description The path of this document that was asked. */
            endpoint: string;
            /** @description Requests that were charged. */
            requests: components["schemas"]["Count"];
            /** @description Items in their answers. */
            items: components["schemas"]["Count"];
            /** @description Credits taken for them. */
            cost: components["schemas"]["Count"];
        };
        /** @description A page of sums. */
        UsageByDayList: {
            /** @description The sums of this page. */
            data: components["schemas"]["UsageSum"][];
            meta: components["schemas"]["Meta"];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An API key as operators see it; never the key itself. */
        Key: {
            /**
             * Format: int64
             * @description Number of the key, which the command line takes.
             */
            id: number;
            /** @description What the operator called it. */
            name: string | null;
            role: components["schemas"]["Role"];
            /** @description What a `user` key may read. */
            scopes: ("users:read" | "repos:read")[];
            /** @description Credits left on the key. */
            remaining_credits: components["schemas"]["Count"];
            /** @description Requests per seconds, such as `100/60`; null when there is no limit. */
            rate_limit: string | null;
            /**
             * @description Only an `active` key is accepted.
             * @enum {string}
             */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description ISO 8601 timestamp of its making.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601 timestamp from which it is not accepted; null when it does not expire.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 timestamp of its last use, to the minute; null before the first.
             */
            last_used_at: string | null;
        };
        /** @description A user or a repository that was removed. */
        Removal: {
            /**
             * Format: int64
             * @description Its id in the platform's REST interface.
             */
            forge_rest_id: number;
            /**
             * @description What it was.
             * @enum {string}
             */
            kind: "user" | "repository";
            /** @description Version of the dataset after the removal. */
            version: components["schemas"]["Count"];
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
             * @description The service is well.
             * @constant
             */
            status: "ok";
            /**
             * @description Which database answered.
             * @enum {string}
             */
            database: "postgresql" | "embedded";
        };
        /** @description What answers. */
        Version: {
            /** @description Version of the service. */
            version: string;
            /** @description Commit that it runs, when that is known. */
            commit: string | null;
            /** @description Runtime and its version. */
            runtime: string;
            /** @description The data that is served; null while the database is unreachable, or has no schema yet. */
            dataset: components["schemas"]["Dataset"] | null;
        };
        /** @description A state of the data. */
        Dataset: {
            /** @description Moves with every import. */
            version: components["schemas"]["Count"];
            /**
             * Format: date-time
             * @description ISO 8601 timestamp of the last import.
             */
            updated_at: string;
        };
        /** @description A linkset. */
        ApiCatalog: {
            /** @description What links lead from, each with its links by their relation. */
            linkset: ({
                /**
                 * Format: uri
                 * @description What the links lead from.
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
            /** @description The address of this server. */
            servers: {
                /** @description Base address. */
                url: string;
            }[];
            /** @description Every path. */
            paths: Record<string, never>;
            /** @description What the paths share. */
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
