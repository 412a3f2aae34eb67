/**
 * Creates the app from the settings, for all entries.
 *
 * @module
 */
import type { Logger } from '@logtape/logtape'
import { type App, createApp } from '../app.ts'
import { readBuildInfo } from '../build-info.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { docsDirectory } from '../docs/docs-manifest.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { Tracing } from '../telemetry/tracing.ts'

/** Everything besides the settings. */
export interface ConfiguredAppOptions {
  database: Database
  logger: Logger
  /** Name and version of the runtime, for `/version`. */
  runtime: string
  /** The demo key that the viewer offers on this machine; undefined outside a trial. */
  readDemoKey?: (() => string | undefined) | undefined
  /** Undefined: requests aren't traced. */
  tracing?: Tracing | undefined
  /** The instance's phase. Default: `serving`. */
  readLifecyclePhase?: () => LifecyclePhase
}

/** Creates the app. It doesn't use the database before the first request. */
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
    buildInfo: readBuildInfo(runtime, config.commit),
  })
}
