/**
 * What lists must return, by plain SQL over the records as they are, straight from decisions/0003-lists.md: `count(*)`,
 * `order by`, `limit` and `offset`. Who uses what is computed by `findUses`. It shares no code and no table with the service, so that the two can be held
 * against each other.
 *
 * @module
 */
import type { Fragment, Sql } from '../../api/database/connect.ts'
import { countryOf } from './attribute-oracle.ts'
import { fold, foldPlace } from './fold.ts'
import type { RandomForge } from './random-forge.ts'
import { listPlaces, type OracleFilter } from './sample-oracle.ts'
import { findLastCommits, findUses, isBot } from './uses.ts'

/** A page, and how many items the whole list has. */
export interface PlainPage {
  total: number
  data: object[]
}

/** Rows of a page. */
export interface PlainRange {
  limit: number
  offset: number
}

/** The records of a forge in tables of their own. */
export interface PlainCatalog {
  /** Puts what the forge is now in the place of what was there. */
  fill(forge: Pick<RandomForge, 'users' | 'repositories' | 'commits'>): Promise<void>
  listUsers(filter: OracleFilter, range: PlainRange): Promise<PlainPage>
  /** `excludes`: without their dependencies. */
  listRepositories(
    filter: OracleFilter,
    range: PlainRange,
    options?: { excludes?: boolean },
  ): Promise<PlainPage>
  listCommits(fullName: string, range: PlainRange): Promise<PlainPage>
  listDependencies(fullName: string, range: PlainRange): Promise<PlainPage>
}

/** Creates the tables, in a schema beside the service's. */
export async function createPlainCatalog(sql: Sql): Promise<PlainCatalog> {
  await sql.unsafe(`
    create schema plain;
    create table plain.users (id integer primary key, location text, country text, last_commit bigint, kind text, document json);
    create table plain.repositories (id integer primary key, url text, full_name text, owner text, language text, license text, document json);
    create table plain.dependencies (
      repository_id integer, name text collate "C", file text collate "C", status text, folded text, document json
    );
    create table plain.commits (url text, hash text collate "C", committed_at bigint, document json);
    create table plain.uses (user_id integer, folded text, file text collate "C", status text);
    create index on plain.uses (folded);
    create index on plain.uses (user_id, folded);
    create index on plain.dependencies (repository_id, folded)`)

  async function insert(table: string, columns: string, rows: readonly object[]): Promise<void> {
    await sql`truncate ${sql.unsafe(table)}`
    await sql`
      insert into ${sql.unsafe(table)}
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(${sql.unsafe(columns)})`
  }

  /** SQL: the row `d` of plain.dependencies or plain.uses has one of the files, and the status. */
  function isCounted({ files = [], status }: OracleFilter) {
    return sql`
      ${status === undefined ? sql`true` : sql`d.status = ${status}`}
      and ${files.length === 0 ? sql`true` : sql`d.file = any(${sql.typed.texts(files)})`}`
  }

  /** SQL: whether an item has the dependencies that are asked for. `own` selects all of its own, as `d`. */
  function hasDependencies(filter: OracleFilter, own: Fragment) {
    const { names = [], match, without = [], files = [] } = filter
    const has = sql`exists (${own} and ${isCounted(filter)} and d.folded = asked.name)`
    const hasAny = (asked: readonly string[]) =>
      sql`exists (select from unnest(${sql.typed.texts(asked.map(fold))}) asked(name) where ${has})`
    const wanted =
      names.length === 0
        ? files.length === 0 || without.length > 0
          ? sql`true`
          : sql`exists (${own} and ${isCounted(filter)})`
        : match === 'all'
          ? sql`not exists (select from unnest(${sql.typed.texts(names.map(fold))}) asked(name) where not ${has})`
          : hasAny(names)
    return sql`${wanted} and not ${hasAny(without)}`
  }

  /** SQL: whether a folded text is one of those that are asked for. */
  const isOneOf = (text: Fragment, wanted: readonly string[] | undefined) =>
    wanted === undefined ? sql`true` : sql`${text} = any(${sql.typed.texts(wanted.map(fold))})`
  /** SQL: whether a number or a time is as least as high as what is asked for. */
  const isAtLeast = (number: Fragment, wanted: number | undefined) =>
    wanted === undefined ? sql`true` : sql`${number} >= ${wanted}::bigint`
  const isFlag = (flag: Fragment, wanted: string | undefined) =>
    wanted === undefined ? sql`true` : sql`${flag} = ${wanted}`
  const toSeconds = (since: string | undefined) =>
    since === undefined ? since : since.includes('-') ? Date.parse(since) / 1_000 : Number(since)

  return {
    async fill({ users, repositories, commits }) {
      const lastCommits = findLastCommits({ users, commits })
      await insert(
        'plain.users',
        'id integer, location text, country text, last_commit bigint, kind text, document json',
        users.map((user, index) => ({
          id: index + 1,
          location: user.location && foldPlace(user.location),
          country: fold(countryOf(user) ?? '') || null,
          last_commit: lastCommits.get(user) ?? null,
          kind: isBot(user) ? 'bot' : fold(user.type),
          document: user,
        })),
      )
      await insert(
        'plain.repositories',
        'id integer, url text, full_name text, owner text, language text, license text, document json',
        repositories.map(({ dependencies: _below, ...repository }, index) => ({
          id: index + 1,
          url: repository.url,
          full_name: repository.full_name,
          owner: fold(repository.owner_login),
          language: repository.language && fold(repository.language),
          license: repository.license && fold(repository.license),
          document: { internal_id: index + 1, ...repository },
        })),
      )
      await insert(
        'plain.dependencies',
        'repository_id integer, name text, file text, status text, folded text, document json',
        repositories.flatMap(({ dependencies }, index) =>
          dependencies.map((document) => ({
            repository_id: index + 1,
            name: document.dependency.dependency_name,
            file: document.dependency.dependency_file,
            status: document.status,
            folded: fold(document.dependency.dependency_name),
            document,
          })),
        ),
      )
      await insert(
        'plain.commits',
        'url text, hash text, committed_at bigint, document json',
        commits.map((document) => ({
          url: document.repo_url,
          hash: document.commit_hash,
          committed_at: document.committer_date,
          document,
        })),
      )
      await sql`analyze plain.users, plain.repositories, plain.commits, plain.dependencies`
      const uses = findUses({ users, repositories, commits })
      await insert(
        'plain.uses',
        'user_id integer, folded text, file text, status text',
        users.flatMap((user, index) =>
          (uses.get(user) ?? []).map(({ dependency, status }) => ({
            user_id: index + 1,
            folded: fold(dependency.dependency_name),
            file: dependency.dependency_file,
            status,
          })),
        ),
      )
      await sql`analyze plain.uses`
    },

    async listUsers(filter, { limit, offset }) {
      const places = listPlaces(filter)
      const matching = sql`
        from plain.users u
        where ${
          places.length === 0
            ? sql`true`
            : sql`exists (select from unnest(${sql.typed.texts(places)}) place where strpos(u.location, place) > 0)`
        }
          and ${hasDependencies(filter, sql`select from plain.uses d where d.user_id = u.id`)}
          and ${isOneOf(sql`u.country`, filter.country)}
          and ${isOneOf(sql`u.kind`, filter.type)}
          and not exists (
            select from unnest(${sql.typed.texts(filter.has ?? [])}) field where coalesce(u.document ->> field, '') = ''
          )
          and ${isAtLeast(sql`(u.document ->> 'followers')::bigint`, filter.min_followers)}
          and ${isAtLeast(sql`u.last_commit`, toSeconds(filter.active_since))}`
      return readPage(
        sql,
        sql`select count(*) ${matching}`,
        sql`
        select u.document ${matching} order by u.id limit ${limit} offset ${offset}`,
      )
    },

    async listRepositories(filter, { limit, offset }, { excludes = false } = {}) {
      const matching = sql`
        from plain.repositories r
        where ${filter.owner === undefined ? sql`true` : sql`r.owner = ${fold(filter.owner)}`}
          and ${hasDependencies(filter, sql`select from plain.dependencies d where d.repository_id = r.id`)}
          and ${isOneOf(sql`r.language`, filter.language)}
          and ${isOneOf(sql`r.license`, filter.license)}
          and ${isAtLeast(sql`(r.document ->> 'stargazers_count')::bigint`, filter.min_stars)}
          and ${isAtLeast(sql`(r.document ->> 'forks_count')::bigint`, filter.min_forks)}
          and ${isFlag(sql`r.document ->> 'fork'`, filter.fork)}
          and ${isFlag(sql`r.document ->> 'archived'`, filter.archived)}
          and ${isAtLeast(sql`(r.document ->> 'pushed_at')::bigint`, toSeconds(filter.pushed_since))}`
      return readPage(
        sql,
        sql`select count(*) ${matching}`,
        sql`
        select ${
          excludes
            ? sql`r.document`
            : sql`r.document::jsonb || jsonb_build_object('dependencies', coalesce((
              select json_agg(d.document order by d.name, d.file) from plain.dependencies d where d.repository_id = r.id
            ), '[]'))`
        } as document
        from (select r.* ${matching} order by r.id limit ${limit} offset ${offset}) r order by r.id`,
      )
    },

    async listCommits(fullName, { limit, offset }) {
      const matching = sql`
        from plain.commits c join plain.repositories r using (url) where r.full_name = ${fullName}`
      return readPage(
        sql,
        sql`select count(*) ${matching}`,
        sql`
        select c.document ${matching} order by c.committed_at desc nulls last, c.hash limit ${limit} offset ${offset}`,
      )
    },

    async listDependencies(fullName, { limit, offset }) {
      const matching = sql`
        from plain.dependencies d join plain.repositories r on r.id = d.repository_id where r.full_name = ${fullName}`
      return readPage(
        sql,
        sql`select count(*) ${matching}`,
        sql`
        select d.document ${matching} order by d.name, d.file limit ${limit} offset ${offset}`,
      )
    },
  }
}

async function readPage(sql: Sql, count: Fragment, page: Fragment): Promise<PlainPage> {
  const [found] = await sql<{ total: number; data: string }[]>`
    select (${count})::integer as total, coalesce((select json_agg(document) from (${page}) p), '[]')::text as data`
  if (found === undefined) throw new Error('a count has one row')
  return { total: found.total, data: JSON.parse(found.data) }
}
