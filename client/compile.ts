import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const project = join(import.meta.dirname, '..')
const compiler = join(project, 'node_modules/@typescript/native/bin/tsc')

/** Compiles what the `tsconfig.json` of a folder names. Throws an `Error` with what the compiler says. */
export async function compile(
  directory: string,
  outDirectory: string,
  options: readonly string[] = [],
): Promise<void> {
  const parameters = [compiler, '--project', directory, '--outDir', outDirectory, ...options]
  await promisify(execFile)(process.execPath, parameters, { cwd: project }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`The compiler failed:\n${stdout}${stderr}`)
    },
  )
}
