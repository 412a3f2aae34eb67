import { createMiddleware } from 'hono/factory'
import type { Environment } from '../environment.ts'
import { unavailable } from '../errors.ts'

/**
 * Answers at most so many requests at a time; one more is turned away at once with 503 (`decisions.md`, Requests and
 * answers), instead of waiting in a queue that grows for as long as more comes than can be done.
 */
export function limitConcurrency(most: number) {
  let underWay = 0
  return createMiddleware<Environment>(async function limitConcurrency(_c, next) {
    if (underWay >= most) throw unavailable('Over capacity')
    underWay++
    try {
      await next()
    } finally {
      underWay--
    }
  })
}
