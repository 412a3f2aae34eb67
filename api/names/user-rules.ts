/** The rules that classify users: what country a location is in, and which accounts are programs. */
import { createHash } from 'node:crypto'
import { listAutomationRules, type NamedAccounts } from './automation-accounts.ts'
import { countryRules } from './places/country.ts'

/** Returns a digest of all rules of this process: with the same one, users are classified in the same way. */
export function digestUserRules(named: NamedAccounts): string {
  return createHash('sha256')
    .update(JSON.stringify([countryRules, listAutomationRules(named)]))
    .digest('base64')
}
