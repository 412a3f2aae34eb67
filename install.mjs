// Installs what package-lock.json names, if that has changed since the last time. Runs on any Node from 20 on, before
// anything is installed: `node_modules/.bin` then holds the Node that everything else runs on.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

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

if (readStamp() !== stamp) {
  console.error('Installing packages (a minute or two the first time) …')
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional packages, which npm leaves out where a
  // registry does not have them. --no-save keeps the lock file as it is. Warnings are left out because they are about
  // the Node that npm runs on, and the packages run on the one that they bring along.
  const { status, error } = spawnSync(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      stdio: ['ignore', 2, 2],
      cwd: new URL('.', import.meta.url),
      shell: process.platform === 'win32',
    },
  )
  if (status !== 0) {
    console.error(error?.message ?? 'npm install failed; see above')
    process.exit(1)
  }
  writeFileSync(stampFile, stamp)
}
await import('./patches/apply.mjs')
