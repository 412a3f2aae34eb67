/** npm, as operators and readers of the docs run it. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inheritEnvironment } from './program.ts'

/** Runs npm in a folder, which is created if it is missing, with a cache in it. */
export async function runNpm(folder: string, ...parameters: string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const env = { ...inheritEnvironment(), npm_config_cache: join(folder, 'cache') }
  await promisify(execFile)('npm', [...parameters, '--no-audit', '--no-fund'], { cwd: folder, env })
}

/** Installs a packed file of the service below a folder, without a registry, and returns its program. */
export async function installService(file: string, prefix: string): Promise<string> {
  await runNpm(prefix, 'install', '--global', '--prefix', prefix, '--offline', file)
  return join(prefix, 'bin/devdata')
}
