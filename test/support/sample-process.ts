/** A process of the service with the sample data, on an embedded database of its own. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type InstanceProcess, type RuntimeName, startInstanceProcess } from './process.ts'

/** A running process. Disposing of it ends it, and removes its database. */
export interface SampleProcess extends InstanceProcess {
  /** The demo key for users. */
  key: string
}

/** Starts a process on a copy of the sample data. */
export async function startSampleProcess(runtime: RuntimeName): Promise<SampleProcess> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'devdata-'))
  const removeData = () => rm(dataDirectory, { recursive: true, force: true })
  try {
    await cp(join(inject('databases').directory, 'sample'), dataDirectory, { recursive: true })
    const server = await startInstanceProcess(undefined, { DATA_DIR: dataDirectory }, { runtime })
    return {
      ...server,
      key: /user key (\S+)/.exec(server.readLog())?.[1] ?? '',
      async [Symbol.asyncDispose]() {
        await server.stop()
        await server[Symbol.asyncDispose]()
        await removeData()
      },
    }
  } catch (error) {
    await removeData()
    throw error
  }
}
