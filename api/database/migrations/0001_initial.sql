-- The ledger: who may read, and what it cost.

create table api_keys (
  id integer primary key generated always as identity,
  name text,
  role text not null check (role in ('user', 'admin')),
  scopes text[] not null check (scopes <@ array['users:read', 'repos:read']),
  credits bigint not null default 0 check (credits between 0 and 9007199254740991),
  -- at most rate_limit_requests in any rate_limit_seconds that begin with a request; both null: no limit
  rate_limit_requests integer check (rate_limit_requests > 0),
  rate_limit_seconds integer check (rate_limit_seconds > 0),
  window_started_at timestamptz not null default '-infinity',
  window_requests integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  deleted_at timestamptz, -- the row stays: its ledger must still add up
  last_used_at timestamptz,
  check ((rate_limit_requests is null) = (rate_limit_seconds is null))
);

-- A key's secret is known by its SHA-256 alone. A rotated key has two for as long as its grace lasts.
create table api_key_secrets (
  hash bytea primary key check (length(hash) = 32),
  api_key_id integer not null references api_keys,
  expires_at timestamptz
);
create index on api_key_secrets (api_key_id);

-- One row for each change of a balance: api_keys.credits = sum(ledger.credits) at every moment.
create table ledger (
  id bigint primary key generated always as identity,
  api_key_id integer not null references api_keys,
  created_at timestamptz not null default now(),
  kind text not null check (kind in ('grant', 'charge')),
  credits bigint not null check (kind = 'grant' or credits < 0), -- negative when the balance fell
  balance bigint not null check (balance >= 0), -- after it
  request_id uuid, -- of the request that was charged
  endpoint text -- its method and path, without the query
);
create index on ledger (api_key_id, id);

-- The catalog. What clients see is stored as the JSON text that they get; columns beside it are what is searched.
-- Keys (…_key) are folded by api/catalog/text-key.ts, so that case means the same whatever the server's locale.
-- The import is the only writer. There are no foreign keys here: it checks what they would, once for a whole load.

-- What the data is now. Readers read it in the same statement as the data, so an answer never mixes two versions.
create table dataset (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0,
  updated_at timestamptz not null default now(),
  users_count integer not null default 0,
  repositories_count integer not null default 0
);
insert into dataset default values;

-- users.id and repositories.id are 1, 2, 3, … without a gap: an id is also the rank in the unfiltered list, which
-- makes any page of it a range. Rows are therefore never deleted (see the triggers below). Rows beyond the dataset's
-- counts belong to a load that is not applied yet: readers pass over them (api/import/apply/ahead.ts).
create table users (
  id integer primary key,
  forge_rest_id bigint not null unique,
  login_key text not null,
  location_id integer,
  document text not null
);
create index on users (login_key);

create table repositories (
  id integer primary key,
  forge_rest_id bigint not null unique,
  full_name_key text not null,
  url_key text not null,
  commits_count integer not null default 0,
  document text not null, -- without internal_id and dependencies
  dependencies text not null default '[]', -- JSON array of repository dependency objects, by name, then file
  dependencies_count integer not null default 0
);
create index on repositories (full_name_key);
create index on repositories (url_key);

create function keep_published() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.id > (
      select case tg_table_name when 'users' then users_count else repositories_count end from dataset
    ) then
      return old; -- of a load that was never applied
    end if;
  end if;
  raise exception '% rows are never deleted: their ids are ranks without gaps', tg_table_name;
end
$$;
create trigger users_stay before delete on users for each row execute function keep_published();
create trigger users_stay_all before truncate on users execute function keep_published();
create trigger repositories_stay before delete on repositories for each row execute function keep_published();
create trigger repositories_stay_all before truncate on repositories execute function keep_published();

-- position counts the repository's commits from the oldest (1) to the newest, so any page of them is a range.
create table commits (
  repository_id integer not null,
  commit_hash text collate "C" not null,
  committer_date bigint,
  author_identity text collate "C", -- see identities; null where it can name nobody
  position integer not null,
  document text not null,
  primary key (repository_id, commit_hash)
);
create index on commits (repository_id, position);

-- What users and repositories are filtered by, and who matches: postings, in the order that a filter reads them.
create table locations (
  id integer primary key generated always as identity,
  location_key text not null
);
create unique index on locations (md5(location_key)); -- a place may be longer than an index entry
create table location_users (
  location_id integer not null,
  user_id integer not null,
  primary key (location_id, user_id)
);

-- The row with the empty name, which no dependency has, stands for whatever is declared in that file.
create table dependencies (
  id integer primary key generated always as identity,
  name text collate "C" not null,
  name_key text collate "C" not null,
  file text collate "C" not null,
  unique (name, file)
);
create index on dependencies (name_key, file);
create table dependency_repositories (
  dependency_id integer not null,
  repository_id integer not null,
  primary key (dependency_id, repository_id)
);
create index on dependency_repositories (repository_id, dependency_id);
create table dependency_users (
  dependency_id integer not null,
  user_id integer not null,
  primary key (dependency_id, user_id)
);
create index on dependency_users (user_id, dependency_id);

-- Who works on what. An identity is how a commit or a repository names a person: `email:…`, `id:…` (of the forge) or
-- `login:…`. A user's dependencies are those of all repositories that their identities lead to.
create table identities (
  identity text collate "C" not null,
  user_id integer not null,
  primary key (identity, user_id)
);
create index on identities (user_id);
create table contributions (
  identity text collate "C" not null,
  repository_id integer not null,
  kind text not null check (kind in ('owner', 'author')),
  primary key (identity, repository_id, kind)
);
create index on contributions (repository_id);

-- A stored list is a filter at a dataset version: its exact total, and the matching ids in order, cut into chunks.
-- It is made when it is first asked for, and dropped when the version has moved on or when room is needed.
create table stored_lists (
  id bigint primary key generated always as identity,
  filter_hash bytea not null, -- SHA-256 of the list's name and the filter
  version bigint not null,
  total integer not null,
  unique (filter_hash, version)
);
create table stored_list_chunks (
  stored_list_id bigint not null references stored_lists on delete cascade,
  chunk integer not null, -- from 0
  ids integer[] not null, -- as many in each but the last
  primary key (stored_list_id, chunk)
);

-- Lines of loads under way, invisible to readers until the load is applied in one transaction. position is the
-- order of the lines: of several for one thing the last wins. They are logged: a load goes on over a crash.
create table imports (
  id bigint primary key generated always as identity,
  touched_at timestamptz not null default now(),
  applying boolean not null default false
);
create table import_users (
  import_id bigint not null,
  position bigint not null,
  forge_rest_id bigint not null,
  login_key text not null,
  identities text[] not null,
  location_key text,
  document text not null
);
create index on import_users (import_id, forge_rest_id, position);
create index on import_users (import_id, position);
create table import_repositories (
  import_id bigint not null,
  position bigint not null,
  forge_rest_id bigint not null,
  full_name_key text not null,
  url_key text not null,
  owner_identity text not null,
  document text not null,
  dependencies text, -- null: leave those that are there
  names text[] not null, -- of the dependencies; beside them
  name_keys text[] not null,
  files text[] not null
);
create index on import_repositories (import_id, forge_rest_id, position);
create index on import_repositories (import_id, position);
create index on import_repositories (import_id, url_key);
create table import_commits (
  import_id bigint not null,
  position bigint not null,
  url_key text not null,
  commit_hash text not null,
  committer_date bigint,
  author_identity text,
  document text not null
);
create index on import_commits (import_id, url_key, commit_hash, position);
create index on import_commits (import_id, position);

-- Users whose dependencies a load may have changed.
create table import_affected_users (
  import_id bigint not null,
  user_id integer not null
);
create index on import_affected_users (import_id, user_id);
