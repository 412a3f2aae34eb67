/** Scalar's library for browsers (`astro.config.ts`). Its own types need packages that we don't have. */
declare module 'scalar' {
  export function createApiReference(
    selector: string,
    configuration: object,
  ): { updateConfiguration(configuration: object): void }
}

/** The script of Scalar's page for Hono (`scalar-page.ts`). */
declare module 'scalar-page' {}
