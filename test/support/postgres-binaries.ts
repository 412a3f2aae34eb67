/** Finds PostgreSQL's binaries on this machine. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** The oldest major version that the service supports. */
const oldestVersion = 15

/** The binaries of one PostgreSQL installation. */
export interface PostgresBinaries {
  /** The folder of `postgres` and `initdb`. */
  directory: string
  /** The major version. */
  version: number
}

/** Why tests that need a cluster are skipped where `findPostgresBinaries` finds none. */
export const postgresMissing = `no PostgreSQL ${oldestVersion} or later found; install its server, or set PG_BIN to the folder of initdb and postgres`

/**
 * Finds the newest PostgreSQL server installation of at least version 15: in the folder that `PG_BIN` names and
 * nowhere else when it is set, otherwise where systems install it, on the `PATH`, and where `pg_config` says.
 */
export function findPostgresBinaries(): PostgresBinaries | undefined {
  const named = process.env.PG_BIN
  const directories = named
    ? [named]
    : [...installationDirectories(), ...pathDirectories(), pgConfigDirectory()]
  const installations = new Map<string, PostgresBinaries>()
  for (const directory of directories) {
    const installation = inspectDirectory(directory)
    if (installation) installations.set(installation.directory, installation)
  }
  return [...installations.values()]
    .filter(({ version }) => version >= oldestVersion)
    .sort((a, b) => b.version - a.version)[0]
}

function installationDirectories(): string[] {
  const children = (parent: string, pattern: RegExp, rest: string) =>
    existsSync(parent)
      ? readdirSync(parent)
          .filter((name) => pattern.test(name))
          .map((name) => join(parent, name, rest))
      : []
  return [
    ...children('/usr/lib/postgresql', /^\d+$/, 'bin'),
    ...children('/usr', /^pgsql-\d+$/, 'bin'),
    ...children('/usr/libexec', /^postgresql\d+$/, ''),
    ...children('/opt/homebrew/opt', /^postgresql(@\d+)?$/, 'bin'),
    ...children('/usr/local/opt', /^postgresql(@\d+)?$/, 'bin'),
  ]
}

function pathDirectories(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '')
}

function pgConfigDirectory(): string {
  try {
    return execFileSync('pg_config', ['--bindir'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

function inspectDirectory(directory: string): PostgresBinaries | undefined {
  const binary = join(directory, 'postgres')
  if (directory === '' || !existsSync(binary) || !existsSync(join(directory, 'initdb'))) return undefined
  try {
    const output = execFileSync(binary, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const version = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1])
    return Number.isInteger(version) ? { directory: dirname(realpathSync(binary)), version } : undefined
  } catch {
    return undefined
  }
}
