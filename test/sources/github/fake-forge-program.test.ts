/** `npm run fake-forge`, as a developer starts it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startProgram } from '../../support/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'fake-forge-program-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const project = resolve(import.meta.dirname, '..', '..', '..')

test('It prints a URL, a token and a command that work, and leaves nothing behind', async () => {
  const sizes = ['--repositories', '10', '--people', '3', '--commits', '20', '--monolith', '5']
  await using program = await startProgram(
    [process.execPath, join(project, 'test/support/fake-forge/main.ts'), '--port', '0', ...sizes],
    {
      directory: folder,
      environment: { TMPDIR: folder },
      announcement: /\nGITHUB_TOKEN=(.*)\n/,
    },
  )
  const command = program.announced
  const [, token, organization, apiUrl] =
    /^(\S+) npm run -s devdata -- import github (\S+) --api (\S+)$/.exec(command) ?? []
  const output = program.readOutput()
  for (const printed of [token, organization, apiUrl]) expect(output.split(String(printed))).toHaveLength(3)

  const response = await fetch(`${apiUrl?.replace('/api/v3', '')}/graphql`, {
    method: 'POST',
    headers: { authorization: `bearer ${token}` },
    body: JSON.stringify({
      query: `query($login: String!) { organization(login: $login) { repositories(first: 100) { nodes { url } } } }`,
      variables: { login: organization },
    }),
  })
  const { data } = await response.json()
  const [{ url }] = data.organization.repositories.nodes
  expect(execFileSync('git', ['ls-remote', url], { encoding: 'utf8' })).toBe('')
  expect(readdirSync(folder)).toHaveLength(1)
  expect(await program.stop()).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})
