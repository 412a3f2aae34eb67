/** The built docs, and an instance that serves them without a database. */
import { cp } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Database } from '../../api/database/database.ts'
import { type BuiltDocs, docsDirectory, findDocs } from '../../api/portal/docs-manifest.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { createInstance, type Instance, openAbsentDatabase } from './instance.ts'

/** The docs, as tests ask for them. */
export interface ServedDocs {
  /** A database whose server does not exist. */
  database: Database
  instance: Instance
  /** What the build left. */
  manifest: BuiltDocs
  close(): Promise<void>
}

/** Builds the docs if they are stale, and serves them. */
export async function serveDocs(): Promise<ServedDocs> {
  await buildDocs({ ifStale: true })
  const manifest = await findDocs(docsDirectory)
  if (!manifest) throw new Error('The build left no docs')
  const database = await openAbsentDatabase()
  return {
    database,
    instance: createInstance(database),
    manifest,
    close: () => database.close(),
  }
}

/** The pages, by their paths without slashes around them. */
export function listPages({ files }: BuiltDocs): string[] {
  return Object.keys(files)
    .filter((name) => /(^|\/)index\.html$/.test(name))
    .map((name) => name.replace(/\/?index\.html$/, ''))
}

/** Copies the built docs to a new folder, without the drafts that other tests are building. */
export function copyDocs(to: string): Promise<void> {
  const isComplete = (path: string) => !basename(path).startsWith('draft-')
  return cp(docsDirectory, to, { recursive: true, filter: isComplete })
}

/** Where a page's links and its script lead, seen from the page's own URL. */
export function readUrls(html: string, page: string): Set<string> {
  const found = html.matchAll(/(?:src|href)="([^"#]+)"|import .* from '([^']+)'/g)
  return new Set([...found].map(([, link = '', script = '']) => new URL(link || script, page).href))
}
