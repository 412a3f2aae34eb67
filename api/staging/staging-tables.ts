/**
 * The tables of a load: its records, and the terms that these have. No other load uses them, and no reader sees them.
 * They are unlogged, so a crash of the server empties them.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import type { ColumnDeclarations } from '../database/row-buffer.ts'
import { searchableTexts, type TextName, textTables } from '../names/searchable-texts.ts'
import { type RecordKind, recordKinds } from './records.ts'

/** The kinds of terms that filters ask for. Each has a table of that name. */
export const termKinds = [...textTables, 'attributes', 'dependencies'] as const
export type TermKind = (typeof termKinds)[number]

/** A staging table of records. */
interface RecordTable {
  /** After the `position`. */
  columns: ColumnDeclarations
  /** Those that depend on the ids of terms, after the others. */
  termColumns?: ColumnDeclarations
  /** The columns that rows of the same thing share. */
  key: string
  /** Another column by which rows are found, besides `position` and the key. */
  searched?: string
  /** The columns that differ if two rows of one thing contradict each other. */
  content: string
}

/**
 * Texts have the collation of the columns that they go into: to sort by another one takes several times as long. Of
 * several rows for one thing, the one with the highest `position` counts. `term_ids` are those of the item's attributes
 * and searchable texts, `dependency_ids` those of what a repository declares, ascending, with its dates beside them.
 */
export const recordTables: Record<RecordKind, RecordTable> = {
  users: {
    key: 'forge_rest_id',
    content: 'document',
    columns: {
      forge_rest_id: 'bigint not null',
      login_key: 'text not null',
      is_bot: 'boolean not null',
      identities: 'text[] collate "C" not null',
      document: 'text not null',
    },
    termColumns: { term_ids: 'integer[] not null' },
  },
  identities: {
    key: 'forge_rest_id',
    content: 'document',
    columns: {
      forge_rest_id: 'bigint not null',
      identities: 'text[] collate "C" not null',
      document: 'text not null',
    },
  },
  // Without dependencies, a repository keeps those that it has.
  repos: {
    key: 'forge_rest_id',
    searched: 'url_key',
    content: 'members, dependencies, dependency_commits',
    columns: {
      forge_rest_id: 'bigint not null',
      full_name_key: 'text not null',
      url_key: 'text not null',
      owner_identity: 'text collate "C" not null',
      pushed_at: 'bigint',
      members: 'text not null',
      dependencies: 'text',
      dependencies_count: 'integer not null',
      dependency_commits: 'text',
    },
    termColumns: {
      term_ids: 'integer[] not null',
      dependency_ids: 'integer[] not null',
      first_use_dates: 'bigint[] not null',
      last_use_dates: 'bigint[] not null',
    },
  },
  commits: {
    key: 'url_key, commit_hash',
    content: 'members',
    columns: {
      url_key: 'text not null',
      repo_url: 'text not null',
      commit_hash: 'text collate "C" not null',
      committer_date: 'bigint',
      author_date: 'bigint',
      author_identity: 'text collate "C"',
      coauthor_identities: 'text[] collate "C"',
      members: 'text not null',
    },
  },
  removals: {
    key: 'kind, forge_rest_id',
    content: 'kind',
    columns: {
      forge_rest_id: 'bigint not null',
      kind: 'text not null',
    },
  },
}

/** The columns of terms, after their `id`, and the ones that they are found by. */
export const termTables: Record<TermKind, { columns: ColumnDeclarations; found: string }> = {
  locations: createTextTable('location'),
  companies: createTextTable('company'),
  attributes: {
    columns: {
      name: 'text collate "C" not null',
      value: 'text collate "C" not null',
      spelling: 'text',
    },
    found: 'name, value',
  },
  dependencies: {
    columns: {
      name: 'text collate "C" not null',
      name_key: 'text collate "C" not null',
      file: 'text collate "C" not null',
      status: 'text collate "C"',
    },
    found: 'name, file, status',
  },
}

/** The table of a searchable text. */
function createTextTable(name: TextName): { columns: ColumnDeclarations; found: string } {
  const [text, key, ...others] = searchableTexts[name].columns
  return {
    columns: {
      [text]: 'text not null',
      [key]: 'text not null',
      ...Object.fromEntries(others.map((other) => [other, 'text'] as const)),
    },
    found: `md5(${key})`, // it may be longer than an index entry
  }
}

/** The name of one of a load's tables. */
export function stagingTable(kind: RecordKind | TermKind, importId: number): string {
  return `import_${kind}_${importId}`
}

/** The names of all tables of a load. */
export function listStagingTables(importId: number): string[] {
  return [...recordKinds, ...termKinds].map((kind) => stagingTable(kind, importId))
}

/** Creates the tables of a load. */
export async function createStagingTables(sql: SqlOrTransaction, importId: number): Promise<void> {
  const [lz4] = await sql`
    select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`
  const create = (kind: RecordKind | TermKind, columns: ColumnDeclarations) => {
    const declared = Object.entries(columns).map((column) => column.join(' '))
    return `create unlogged table ${stagingTable(kind, importId)} (${declared.join()});`
  }
  const records = recordKinds.map((kind) => {
    const { columns, termColumns } = recordTables[kind]
    return create(kind, { position: 'bigint not null', ...columns, ...termColumns })
  })
  const terms = termKinds.map((kind) => {
    const { columns, found } = termTables[kind]
    return `${create(kind, { id: 'integer not null', ...columns })} create index on ${stagingTable(kind, importId)} (${found});`
  })
  // Applied documents keep the compression of their staging table, so the faster one pays twice.
  const compression = lz4 === undefined ? '$&' : '$& compression lz4'
  await sql.unsafe(records.join('').replaceAll(/ text(\[\])?/g, compression) + terms.join(''))
}
