// Installs what package-lock.json names, if that has changed since the last time, then runs the program of its
// parameters on the Node that was installed: node install.mjs [PROGRAM …]. Runs on any Node from 20 on, before anything
// is installed: `node_modules/.bin` then holds the Node that everything else runs on.
//
// npm passes signals on to the shell of a script alone, which ends and leaves its programs running. That is why scripts
// start the last of their programs with `exec`, and why signals are passed on here.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'

const directory = new URL('.', import.meta.url)
const stampFile = new URL('./node_modules/.devdata-installed', import.meta.url)
const stamp = createHash('sha256')
  .update(readFileSync(new URL('./package-lock.json', import.meta.url)))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex')

function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8')
  } catch {
    return ''
  }
}

/** Runs a program, passes signals on to it, and ends with its exit code unless that is 0. */
async function run(program, parameters, stdio) {
  const child = spawn(program, parameters, { stdio, cwd: directory })
  let stoppedBy
  function stop(signal) {
    stoppedBy ??= signal
    child.kill(signal)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const exitCode = await new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
  if (stoppedBy !== undefined) process.exit(128 + constants.signals[stoppedBy])
  if (exitCode !== 0) {
    console.error(`${program} ${parameters[0]} failed; see above`)
    process.exit(exitCode)
  }
}

if (readStamp() !== stamp) {
  console.error('Installing packages (a minute or two the first time) …')
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional packages, which npm leaves out where a
  // registry does not have them. --no-save keeps the lock file as it is. Warnings are left out because they are about
  // the Node that npm runs on, and the packages run on the one that they bring along.
  const parameters = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', parameters, ['ignore', 2, 2])
  // npm installs an optional package only if its hash is that of the lock file, and says nothing if it isn't.
  if (!existsSync(new URL('./node_modules/.bin/node', import.meta.url))) {
    console.error(
      `npm has installed no Node for ${process.platform} ${process.arch}: package.json names no package for it, or the ` +
        'hash of the downloaded package is not that of package-lock.json. See node-… under optionalDependencies',
    )
    process.exit(1)
  }
  writeFileSync(stampFile, stamp)
}
await import('./patches/apply.mjs')
const [, , ...parameters] = process.argv
if (parameters.length > 0) await run('node', parameters, 'inherit')
