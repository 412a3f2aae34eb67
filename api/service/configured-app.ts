/**
 * The app as the settings want it. Each entry opens the database and listens in its own way.
 *
 * @module
 */
import type { Logger } from '@logtape/logtape'
import { type App, createApp } from '../app.ts'
import { docsDirectory, readCommit, readVersion } from '../build-info.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { Tracing } from '../telemetry/tracing.ts'

/** What the settings don't say. */
export interface ConfiguredAppOptions {
  database: Database
  logger: Logger
  /** Name and version of the runtime, for `/version`. */
  runtime: string
  /** The demo key that the viewer may offer to readers on this machine; absent on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
  /** Traces requests; absent: nothing does. */
  tracing?: Tracing | undefined
  /** In which phase of its life the instance is. Default: it serves. */
  readLifecyclePhase?: () => LifecyclePhase
}

/** Creates the app. Nothing is asked of the database before the first request. */
export function createConfiguredApp(
  config: Config,
  { database, logger, runtime, readDemoKey, readLifecyclePhase, tracing }: ConfiguredAppOptions,
): App {
  return createApp({
    database,
    logger,
    baseUrl: config.baseUrl,
    storedListsMb: config.storedListsMb,
    responseCacheMb: config.responseCacheMb,
    docsDirectory,
    readDemoKey,
    tracing,
    ...(readLifecyclePhase && { readLifecyclePhase }),
    program: { version: readVersion(), commit: config.commit ?? readCommit(), runtime },
  })
}
