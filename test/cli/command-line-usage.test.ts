import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readVersion } from '../../api/build-info.ts'
import { createCommands } from '../../api/cli/commands.ts'
import { createFolder, type Run, runCommand } from '../support/command-line.ts'

/** Every command, with the words that lead to it. */
function listCommands(command: Command = createCommands(), path: string[] = []): [string[], Command][] {
  return [[path, command], ...command.commands.flatMap((each) => listCommands(each, [...path, each.name()]))]
}

/** Runs a command in this process, up to the error that commander ends it with. */
async function parse(args: readonly string[]) {
  const output = { stdout: '', stderr: '' }
  const program = createCommands()
  for (const [, command] of listCommands(program)) {
    command.configureOutput({
      writeOut(text) {
        output.stdout += text
      },
      writeErr(text) {
        output.stderr += text
      },
    })
  }
  const error: unknown = await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => error)
  if (!(error instanceof CommanderError)) throw new Error('the command began', { cause: error })
  return { isWrong: error.exitCode !== 0, ...output }
}

describe('devdata', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  const run: Run = (args, options) => runCommand(args, { ...folder, ...options })
  beforeAll(async () => {
    folder = await createFolder()
  })
  afterAll(() => folder.remove())
  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', '')
    vi.stubEnv('DATA_DIR', join(folder.directory, '.data'))
  })
  // None of these asks anything of a database.
  afterEach(() => {
    vi.unstubAllEnvs()
    expect(existsSync(join(folder.directory, '.data'))).toBe(false)
  })

  test.each(listCommands().map(([path]) => path))(
    'explains itself with examples: %j --help',
    async (...path) => {
      const { isWrong, stdout, stderr } = await parse([...path, '--help'])
      expect({ isWrong, stderr }).toEqual({ isWrong: false, stderr: '' })
      expect(stdout).toMatch(/^Usage: devdata/)
      expect(stdout).toContain('Examples:\n  devdata ')
      expect(stdout).toContain('npm run -s devdata --')
    },
  )

  test('has --json wherever it has something to say', () => {
    const leaves = listCommands().filter(([, command]) => command.commands.length === 0)
    expect(leaves.map(([path]) => path.join(' ')).sort()).toEqual([
      'doctor',
      'export ndjson',
      'forget import',
      'forget list',
      'forget undo',
      'forget user',
      'import git',
      'import github',
      'import ndjson',
      'keys connections',
      'keys create',
      'keys delete',
      'keys find',
      'keys grant',
      'keys limit',
      'keys list',
      'keys notify',
      'keys restore',
      'keys revoke',
      'keys rotate',
      'ledger export',
      'ledger prune',
      'ledger verify',
      'migrate',
      'person export',
      'remove repo',
      'restored',
      'sets rebuild',
      'sets verify',
      'show repo',
      'webhooks list',
      'webhooks test',
    ])
    for (const [path, command] of leaves) {
      expect([path, command.options.some(({ long }) => long === '--json')]).toEqual([path, true])
    }
  })

  test('prints its version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${readVersion()}\n`, stderr: '' })
  })

  test('exits with 0 after help', async () => {
    const { code, stdout, stderr } = await run(['keys', '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: devdata keys/)
  })

  test.each([
    [[], 'Usage: devdata [options] [command]'],
    [['keyz'], "unknown command 'keyz'"],
    [['keys', 'grant', '0', '5'], 'It must be the id of a key'],
    [['forget', 'user'], 'specify the person: a login, --email or --id'],
  ])('exits with 2 after wrong usage, on standard error alone: %j', async (args, message) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage: devdata')
    expect(stderr).not.toMatch(/^ +at /m)
  })

  const positive = 'It must be a whole number from 0 to 9007199254740991.'
  const id = 'It must be the id of a key; "devdata keys list" shows the ids.'
  const limit = 'It must be REQUESTS/SECONDS, such as 100/60, or none.'
  const scopes =
    'It must be a comma-separated list of one or more of users:read, repos:read, or metrics:read or keys:write alone.'
  const date = 'It must be a date such as 2030-12-31 (0:00 UTC), or a timestamp such as 2030-12-31T18:00:00Z.'
  const name = 'It must have 1 to 100 characters, and no control characters or line breaks.'
  const grant = 'It must be a whole number of credits other than 0, such as 500, or -500 to withdraw them'
  const grace = 'It must be a whole number of seconds from 0 to 31622400 (366 days).'
  const past = 'It must be in the past.'
  const email = 'is invalid. It must be an email address and nothing else, such as ada@example.com'
  test.each([
    ['keyz', "unknown command 'keyz'"],
    ['keys', 'Usage: devdata keys [options] [command]'],
    ['keys make', "unknown command 'make'"],
    ['keys list --yaml', "unknown option '--yaml'"],
    ['keys list all', 'too many arguments'],
    [
      'keys create --role root',
      "option '--role <role>' argument 'root' is invalid. Allowed choices are user, admin.",
    ],
    ['keys create --credits', "option '--credits <n>' argument missing"],
    ['keys create --credits -1', positive],
    ['keys create --credits 1.5', positive],
    ['keys create --credits 1e3', positive],
    ['keys create --credits 9007199254740992', positive],
    ['keys create --credits 99999999999999999999', positive],
    ['keys create --credits=', positive],
    ['keys create --rate-limit 100', limit],
    ['keys create --rate-limit 0/60', limit],
    ['keys create --rate-limit 1/99999999999', limit],
    ['keys create --scopes users', scopes],
    ['keys create --scopes=', scopes],
    ['keys create --scopes users:read,', scopes],
    ['keys create --expires tomorrow', date],
    ['keys create --expires 2099-02-29', date],
    ['keys create --expires 2099-13-01', date],
    ['keys create --expires 2099-01-01T25:00:00Z', date],
    ['keys create --expires 2099-01-01T12:00:00', date],
    ['keys create --expires 2001-01-01', 'It must be in the future.'],
    ['keys create --name=', name],
    [`keys create --name ${'n'.repeat(101)}`, name],
    ['keys create --name a\tb', name],
    ['keys grant', "missing required argument 'id'"],
    ['keys grant 3', "missing required argument 'credits'"],
    ['keys grant 0 5', id],
    ['keys grant -3 5', id],
    ['keys grant three 5', id],
    ['keys grant 2147483648 5', id],
    ['keys grant 3 0', grant],
    ['keys grant 3 -0', grant],
    ['keys grant 3 -5.5', grant],
    ['keys grant 3 5credits', grant],
    ['keys grant 3 9007199254740992', grant],
    ['keys limit 3', "missing required argument 'n/seconds'"],
    ['keys limit 3 often', limit],
    ['keys rotate 3 --grace -1', grace],
    ['keys rotate 3 --grace 1h', grace],
    ['keys rotate 3 --grace 31622401', grace],
    ['keys revoke', "missing required argument 'id'"],
    ['keys restore x', id],
    ['keys delete 1 2', 'too many arguments'],
    ['ledger prune', "required option '--before <date>' not specified"],
    ['ledger prune --before tomorrow', date],
    ['ledger prune --before 2026-02-30', date],
    [`ledger prune --before ${new Date(Date.now() + 3_600_000).toISOString()}`, past],
    ['forget user --email ada', "'--email <address>' argument 'ada' is invalid. It must be an email address"],
    ['forget user ada --email mailto:ada@example.com --dry-run', email],
    ['forget user --email <ada@example.com>', email],
    ['forget user --email a@x,b@x', email],
    ['forget user --email a@x --email ada@example.com.', email],
    ['forget undo --email ada@@example.com', email],
    ['person export --output ada.json --email mailto:ada@example.com', email],
    ['remove repo', 'specify OWNER/NAME or --id'],
    ['remove repo honojs/hono --id 5', 'specify OWNER/NAME or --id, not both'],
    ['remove repo hono', 'It must be OWNER/NAME'],
    ['remove repo --id 1.5', 'It must be a whole number from'],
    ['import', 'Usage: devdata import'],
    ['import csv x', "unknown command 'csv'"],
    ['import ndjson', "missing required argument 'path'"],
    ['import ndjson x --kind people', 'Allowed choices are users, identities, repos, commits, removals.'],
    ['import ndjson -', 'standard input (-) needs --kind users|identities|repos|commits|removals'],
    ['import ndjson - - --kind users', 'standard input (-) can be given only once'],
    ['import ndjson - --kind users --mirror', '--mirror requires files'],
    ['import ndjson x --mirror --skip-invalid y', 'would remove the items of invalid lines'],
    ['import ndjson x --max-removals 5', '--max-removals is for --mirror'],
    ['import ndjson x --mirror --max-removals -1', 'It must be a whole number of items'],
    ['export ndjson copy --since 1.5', 'It must be a version of the dataset'],
    ['import git --url https://forge.example/a/b', "missing required argument 'path'"],
    [
      'import git api docs-site --branch main',
      '--branch applies to one clone, but 2 were found; load that clone alone',
    ],
    [
      'import git . --url https://forge.example/a/b --rest-id -1',
      'It must be a whole number from 1 to 9007199254740991.',
    ],
    ['migrate now', 'too many arguments'],
  ])('says of wrong usage why it is wrong, and how it would be right: %s', async (text, message) => {
    const { isWrong, stdout, stderr } = await parse(text.split(' '))
    expect({ isWrong, stdout }).toEqual({ isWrong: true, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage: devdata')
  })

  test.each<[string, Record<string, string>, readonly string[], RegExp]>([
    [
      'a wrong setting',
      { PORT: 'x' },
      ['keys', 'list'],
      /^PORT "x" is invalid: it must be a whole number from 0 to 65535\n$/,
    ],
    [
      'a database that is unreachable',
      { DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/db' },
      ['keys', 'list'],
      /^The database is unreachable: .*ECONNREFUSED.*\n$/,
    ],
    [
      'a database whose host has several addresses',
      { DATABASE_URL: 'postgres://someone:hunter2@localhost:1/db' },
      ['migrate'],
      /^The database is unreachable: .*ECONNREFUSED.*\n$/,
    ],
    [
      'a host that does not exist',
      { DATABASE_URL: 'postgres://someone:hunter2@db.invalid/db' },
      ['migrate'],
      /^The database is unreachable: .*db\.invalid.*\n$/,
    ],
    [
      'a data folder that can not be',
      { DATA_DIR: '/dev/null/data' },
      ['keys', 'list'],
      /^DATA_DIR \/dev\/null\/data can't be created: .*\n$/,
    ],
    [
      'a data folder too deep',
      { DATA_DIR: 'd'.repeat(120) },
      ['migrate'],
      /^DATA_DIR is too deep for a Unix socket .*\n$/,
    ],
    [
      'a path that is not there',
      {},
      ['import', 'ndjson', 'nowhere'],
      /^Can't read nowhere: no such file or directory\n$/,
    ],
    [
      'a folder without data',
      {},
      ['import', 'ndjson', '.'],
      /^The folder \. contains no users\.ndjson, identities\.ndjson, repos\.ndjson, commits\.ndjson or removals\.ndjson\n$/,
    ],
    [
      'a folder without data of a kind',
      {},
      ['import', 'ndjson', '.', '--kind', 'repos'],
      /^The folder \. contains no repos\.ndjson\n$/,
    ],
  ])('says what failed in one clear line, and exits with 1: %s', async (_what, environment, args, line) => {
    const { code, stdout, stderr } = await run(args, { environment })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr).not.toContain('hunter2')
    rmSync(join(folder.directory, 'd'.repeat(120)), { recursive: true, force: true })
  })
})
