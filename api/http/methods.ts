/** The methods of each path. All but a few only read. */
import { postMethods, readMethods } from '../errors.ts'
import { mcpPath, signInPath } from './url.ts'

/** Paths whose requests may have a body. */
const writtenPaths: readonly [pattern: RegExp, methods: readonly string[]][] = [
  [new RegExp(`^${mcpPath}$`), postMethods],
  [new RegExp(`^${signInPath}$`), ['GET', 'HEAD', 'POST', 'OPTIONS']],
  [new RegExp(`^${signInPath}/[a-z]+$`), postMethods],
  [/^\/api-key\/connections\/[^/]+$/, ['DELETE', 'OPTIONS']],
  [/^\/admin\/keys$/, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  [/^\/admin\/keys\/[^/]+$/, ['GET', 'HEAD', 'PATCH', 'OPTIONS']],
  [/^\/admin\/keys\/[^/]+\/(?:grants|rotate|revoke|restore)$/, ['POST', 'OPTIONS']],
]

/** Returns the methods of a path. */
export function findMethods(path: string, basePath: string): readonly string[] {
  const own = path.startsWith(basePath) ? path.slice(basePath.length) : ''
  const [, methods] = writtenPaths.find(([pattern]) => pattern.test(own)) ?? []
  return methods ?? readMethods
}
