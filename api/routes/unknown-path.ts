import { type ApiError, badRequest, notFound } from '../errors.ts'

/** Paths of a resource whose name is missing. */
const namelessPaths: readonly [path: RegExp, name: string][] = [
  [/^\/users\/$/, 'Login'],
  [/^\/repos\/(\/[^/]*(\/(commits|dependencies))?)?$/, 'Owner'],
  [/^\/repos\/[^/]+(\/(\/(commits|dependencies))?)?$/, 'Repository name'],
]

/** Creates the error of a path without a route: 400 where only a name is missing, or else 404. `path` is below the base path. */
export function createUnknownPathError(path: string): ApiError {
  const [, name] = namelessPaths.find(([pattern]) => pattern.test(path)) ?? []
  return name === undefined ? notFound('Not found') : badRequest(`${name} is missing`)
}
