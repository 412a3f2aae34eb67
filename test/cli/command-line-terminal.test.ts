/**
 * What a person reads who runs a command at a terminal, perhaps in another folder than they think.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { commandLine, startServiceForCommands } from '../support/command-line.ts'
import { inheritEnvironment, liftoffOnly, succeeds } from '../support/program.ts'
import { describeOnEachDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

/** It runs a program at a terminal of its own: util-linux's, which every Debian has. */
const hasScript = await succeeds('script', '--version')

describeOnEachDatabase('a command at a terminal', (kind) => {
  const commands = useStarted(() => startServiceForCommands(kind))

  test.runIf(hasScript)('says which database it uses, without its password', async () => {
    const { environment, directory, service } = commands
    const command = `"${process.execPath}" ${liftoffOnly} "${commandLine}" keys list`
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], {
      cwd: directory,
      env: { ...inheritEnvironment(), ...environment },
    })
    const { databaseUrl, dataDirectory } = service.location
    const { host, pathname } = new URL(databaseUrl ?? 'postgres://none/none')
    const named =
      databaseUrl === undefined ? `embedded, in ${dataDirectory}` : `${pathname.slice(1)} on ${host}`
    expect(stdout.split('\r\n')).toEqual([
      `Database: ${named}`,
      expect.stringMatching(/^There are no keys yet/),
      '',
    ])
  })
})
