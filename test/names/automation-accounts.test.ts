/**
 * Which accounts are programs (decisions/0004-data.md).
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { automationAccounts, isBot, listAutomationRules } from '../../api/names/automation-accounts.ts'

const programs = [
  'claude',
  'Claude',
  'BrewTestBot',
  'renovate-bot',
  'acme-ci',
  'k8s-ci-robot',
  'skia-autoroll',
  'x[BOT]',
]
const people = ['claudette', 'talbot', 'botantony', 'machine424', 'ci', 'bot', 'luci', 'bot-fan', 'ada']

test.each(programs)('%s of type User is a program', (login) => {
  expect(isBot({ type: 'User', login }, new Map())).toBe(true)
})

test.each(people)('%s of type User is a person', (login) => {
  expect(isBot({ type: 'User', login }, new Map())).toBe(false)
})

test('an account is what its type says', () => {
  expect(isBot({ type: 'bot', login: 'ada' }, new Map())).toBe(true)
  expect(isBot({ type: 'Organization', login: 'acme-ci' }, new Map())).toBe(false)
})

test('the operator has the last word', () => {
  const named = new Map([
    ['ada', true],
    ['acme-ci', false],
    ['acme', true],
  ])
  expect(isBot({ type: 'User', login: 'Ada' }, named)).toBe(true)
  expect(isBot({ type: 'User', login: 'Acme-CI' }, named)).toBe(false)
  expect(isBot({ type: 'Organization', login: 'acme' }, named)).toBe(true)
})

test('what the operator says is part of the rules, in any order', () => {
  const [one, other] = [['ada', true] as const, ['bob', false] as const]
  expect(listAutomationRules(new Map([one, other]))).toEqual(listAutomationRules(new Map([other, one])))
  expect(listAutomationRules(new Map([one]))).not.toEqual(listAutomationRules(new Map([['ada', false]])))
})

test('the docs list the accounts', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../docs-site/src/content/docs/automation-accounts.md'),
    'utf8',
  )
  const [, list = ''] = /Known automation accounts"\n(.*?)```/s.exec(page) ?? []
  expect(list.trim().split(/\s+/)).toEqual([...automationAccounts])
})
