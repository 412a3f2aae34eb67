/** `npm run fake-forge`: an organization to try `devdata import github` on, without a token of GitHub. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { createRandom } from '../../../sample/random.ts'
import { gitFaults, queryFaults } from './faults.ts'
import { createOrganization } from './organization.ts'
import { startFakeForge } from './server.ts'

function readCount(text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 0) throw new InvalidArgumentError('It must be a whole number.')
  return count
}

function readShare(text: string): number {
  const share = Number(text)
  if (!(share >= 0 && share < 1)) throw new InvalidArgumentError('It must be a number from 0 to less than 1.')
  return share
}

const command = new Command('fake-forge')
  .description('Serves a made-up organization as GitHub does: GraphQL API, limits and clones')
  .option('--port <number>', 'port on the loopback interface', readCount, 4100)
  .option('--repositories <number>', 'repositories of the organization', readCount, 20)
  .option('--people <number>', 'people who commit', readCount, 40)
  .option('--commits <number>', 'commits of all repositories but one', readCount, 600)
  .option('--monolith <number>', 'commits of the largest repository', readCount, 300)
  .option('--faults <share>', 'share of requests that fail, from 0 to less than 1', readShare, 0)
  .option('--points <number>', 'points per hour', readCount, 5000)
  .option('--seed <text>', 'another seed gives another organization', 'organization')
  .parse()
const options = command.opts<{
  port: number
  repositories: number
  people: number
  commits: number
  monolith: number
  faults: number
  points: number
  seed: string
}>()

const folder = mkdtempSync(join(tmpdir(), 'fake-forge-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
// A second signal, as npm sends one, doesn't end the process before its folder is removed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit())

const { model, account } = await createOrganization(folder, {
  seed: options.seed,
  repositories: options.repositories,
  people: options.people,
  commits: options.commits,
  monolithCommits: options.monolith,
})
const forge = await startFakeForge(model, {
  port: options.port,
  onViolation: ({ message }) => console.error(`The real forge would refuse this: ${message}`),
})
const token = forge.createToken({ limits: { points: options.points, retryAfterSeconds: 5 } })
// Silence would keep a client waiting for minutes, and a primary limit for an hour.
const faults = queryFaults.filter((fault) => fault !== 'silence' && !fault.startsWith('primary'))
forge.faults.randomly(createRandom(`${options.seed} faults`), options.faults, faults)
const cloneFaults = gitFaults.filter((fault) => fault !== 'silence')
forge.gitFaults.randomly(createRandom(`${options.seed} clone faults`), options.faults, cloneFaults)
console.log(`The fake forge is ready.

API            ${forge.apiUrl}
Token          ${token.text}
Organization   ${account.login} (${model.repositories.length} repositories, ${model.accounts.length} accounts)

Try:
GITHUB_TOKEN=${token.text} npm run -s devdata -- import github ${account.login} --api ${forge.apiUrl}`)
