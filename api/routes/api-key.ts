import type { Hono } from 'hono'
import type { Environment } from '../environment.ts'

/** `GET /api-key/credits` (`service.md` §4.5): free, and exact at the moment it is asked. */
export function addApiKeyRoutes(app: Hono<Environment>): void {
  app.get('/api-key/credits', (c) => {
    const { secret, credits, role } = c.get('caller')
    c.header('Cache-Control', 'no-store')
    return c.json({ api_key: secret, remaining_credits: credits, role })
  })
}
