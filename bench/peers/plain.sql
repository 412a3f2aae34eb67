-- The plain way to store the same data: a table for each kind of thing, a column for each field, and the indexes that
-- one adds when the filters turn out slow. What bench/peers/fastify.ts reads.
drop schema if exists plain cascade;
create schema plain;
create extension if not exists pg_trgm;
set search_path = plain, public;
set max_parallel_workers_per_gather = 0;

create table users as
select u.id, d.*
from public.users u, json_to_record(u.document::json) as d(forge_rest_id bigint, forge_graphql_id text, login text,
  name text, email text, avatar_url text, company text, location text, bio text, followers integer,
  following integer, type text, created_at text, updated_at text);
alter table users add primary key (id);
create index on users using gin (location gin_trgm_ops);

create table repositories as
select r.id as internal_id, d.*, null::integer as owner_id
from public.repositories r, json_to_record(('{' || r.members || '}')::json) as d(forge_rest_id bigint, forge_graphql_id text,
  url text, name text, full_name text, private boolean, owner_login text, owner_avatar_url text, description text,
  homepage text, fork boolean, forks_count integer, archived boolean, disabled boolean, license text, language text,
  stargazers_count integer, watchers_count integer, open_issues_count integer, has_issues boolean,
  has_discussions boolean, has_projects boolean, created_at bigint, updated_at bigint, pushed_at bigint,
  visibility text, size integer, default_branch text);
update repositories r set owner_id = u.id from users u where u.login = r.owner_login;
alter table repositories add primary key (internal_id);
create index on repositories (owner_id);

create table repository_dependencies as
select r.id as repository_id, d.url, d.first_use_date, d.last_use_date, d.updated_at, d.status,
  d.dependency ->> 'dependency_name' as name, d.dependency ->> 'dependency_file' as file
from public.repositories r, json_to_recordset(r.dependencies::json) as d(url text, first_use_date bigint,
  last_use_date bigint, updated_at bigint, status text, dependency json);
create index on repository_dependencies (repository_id);
create index on repository_dependencies (lower(name));
create index on repository_dependencies (file);

-- Who committed where, from when until when; the other fields of commits are not listed by any of the peers. Automation accounts
-- use nothing by authorship. The data has no commits without a date.
create table commits as
select c.repository_id, i.user_id as author_id, min(c.author_date) as first_date, max(c.author_date) as last_date
from public.commits c join public.identities i on i.identity = c.author_identity
  join public.users u on u.id = i.user_id
where not u.is_bot
group by c.repository_id, i.user_id;
create index on commits (author_id);
create index on commits (repository_id);

create table version as select version from public.dataset;
analyze plain.users;
analyze plain.repositories;
analyze plain.repository_dependencies;
analyze plain.commits;
