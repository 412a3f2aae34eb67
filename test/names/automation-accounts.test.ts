/** Which accounts are programs (decisions/0004-data.md). */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { automationAccounts, isBot, listAutomationRules } from '../../api/names/automation-accounts.ts'

const programs = [
  ['claude', null],
  ['Claude', 'Claude'],
  ['Copilot', 'copilot-swe-agent[bot]'],
  ['codex', 'Codex'],
  ['otelbot', 'otelbot'],
  ['VaporBot', 'Vapor Bot'],
  ['embeddedbot', null],
  ['BrewTestBot', null],
  ['renovate-bot', null],
  ['acme-ci', 'Acme'],
  ['acme-jenkins', 'ACME Jenkins'],
  ['deploys-bot', 'AcmeBot'],
  ['vic-bot', 'Vic (automation)'],
  ['is-a-dev-bot', 'IS A DEV'],
  ['k8s-ci-robot', 'Kubernetes Prow Robot'],
  ['k8s-merge-robot', 'Kubernetes Submit Queue'],
  ['skia-autoroll', ''],
  ['triage-agent', 'Triage-Agent'],
  ['x[BOT]', 'Ada Lovelace'],
] as const
const people = [
  'claudette',
  'talbot',
  'abbot',
  'interrobot',
  'botantony',
  'machine424',
  'ci',
  'bot',
  'luci',
  'bot-fan',
  'ada',
]
const peopleByName = [
  ['jed-bot', 'Jed Lovelace'],
  ['ada-bot', 'Ada Talbot'],
  ['ada-ci', 'Ада'],
  ['olivier-bot', 'O. Lovelace 🤖'],
  ['secret-agent', 'Ada'],
] as const

test.each(programs)('%s of type User is a program, as %s', (login, name) => {
  expect(isBot({ type: 'User', login, name }, new Map())).toBe(true)
})

test.each(people)('%s of type User is a person', (login) => {
  expect(isBot({ type: 'User', login, name: null }, new Map())).toBe(false)
})

test.each(peopleByName)('%s of type User is a person, because the name is %s', (login, name) => {
  expect(isBot({ type: 'User', login, name }, new Map())).toBe(false)
  expect(isBot({ type: 'User', login, name: null }, new Map())).toBe(true)
})

test('an account is what its type says', () => {
  expect(isBot({ type: 'bot', login: 'ada', name: 'Ada' }, new Map())).toBe(true)
  expect(isBot({ type: 'Organization', login: 'acme-ci', name: null }, new Map())).toBe(false)
})

test('the operator has the last word', () => {
  const named = new Map([
    ['ada', true],
    ['acme-ci', false],
    ['acme', true],
  ])
  expect(isBot({ type: 'User', login: 'Ada', name: 'Ada' }, named)).toBe(true)
  expect(isBot({ type: 'User', login: 'Acme-CI', name: null }, named)).toBe(false)
  expect(isBot({ type: 'Organization', login: 'acme', name: null }, named)).toBe(true)
})

test('an account that is decided otherwise comes with other rules, so that stored users are classified again', () => {
  const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64')
  const logins = [...programs, ...peopleByName].map(([login]) => login)
  const names = [null, '', ...[...programs, ...peopleByName].map(([, name]) => name)]
  const decisions = ['User', 'user', 'Bot', 'Organization'].flatMap((type) =>
    [...logins, ...people].map((login) => names.map((name) => isBot({ type, login, name }, new Map()))),
  )
  expect({ rules: hash(listAutomationRules(new Map())), decisions: hash(decisions) }).toEqual({
    rules: '1/UGt75v4JEDXCls0e0c0rQQy28b0PFOKpmKOxQGZ/c=',
    decisions: 'zFMdQtrsZTAiJVPUvvqvY48DpUuaoT1ArZfDQ7d9dWM=',
  })
})

test('what the operator says is part of the rules, in any order', () => {
  const [one, other] = [['ada', true] as const, ['bob', false] as const]
  expect(listAutomationRules(new Map([one, other]))).toEqual(listAutomationRules(new Map([other, one])))
  expect(listAutomationRules(new Map([one]))).not.toEqual(listAutomationRules(new Map([['ada', false]])))
})

test('the docs list the accounts', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs-site/src/content/docs/data.mdx'), 'utf8')
  const [, list = ''] = /Known automation accounts"\n(.*?)```/s.exec(page) ?? []
  expect(list.trim().split(/\s+/)).toEqual([...automationAccounts])
})
