/** An import of a made-up organization from the fake forge. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from '../../api/database/connect.ts'
import {
  type GithubImportOptions,
  type GithubImportResult,
  importGithub,
} from '../../api/sources/github/import.ts'
import {
  createOrganization,
  type FakeOrganization,
  type OrganizationSize,
} from './fake-forge/organization.ts'
import { type FakeForge, startFakeForge } from './fake-forge/server.ts'
import type { Limits } from './fake-forge/token.ts'

/** A forge with an organization, and a folder for clones. */
export interface TestForge extends AsyncDisposable {
  organization: FakeOrganization
  forge: FakeForge
  /** The folder of the clones. */
  clones: string
  /** Imports the organization with one token. */
  load(sql: Sql, options?: Partial<GithubImportOptions>): Promise<GithubImportResult>
  /** Adds a token. Returns its text. */
  addToken(limits?: Partial<Limits>): string
}

/** Starts a forge. At its end, fails if it was asked anything beyond its limits. */
export async function startTestForge(size: OrganizationSize = {}): Promise<TestForge> {
  const folder = mkdtempSync(join(tmpdir(), 'devdata-forge-'))
  const clones = join(folder, 'clones')
  const organization = await createOrganization(join(folder, 'forge'), size)
  const forge = await startFakeForge(organization.model)
  const token = forge.createToken().text
  return {
    organization,
    forge,
    clones,
    load: (sql, options = {}) =>
      importGithub(sql, {
        targets: [{ owner: organization.account.login }],
        tokens: [token],
        apiUrl: forge.apiUrl,
        clones,
        withHistory: true,
        refresh: false,
        concurrency: 4,
        dryRun: false,
        ...options,
      }),
    addToken: (limits = {}) => forge.createToken({ limits }).text,
    async [Symbol.asyncDispose]() {
      try {
        await forge[Symbol.asyncDispose]()
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}
