/**
 * Accounts of programs. The forge has some of them as type `User`, because people registered them. Only their logins
 * tell what they are.
 */

/** What an operator says of accounts, by login in lowercase: whether it is a program. */
export type NamedAccounts = ReadonlyMap<string, boolean>

/**
 * What logins of programs end in. DevStats, the statistics of the CNCF, leaves out the first four and others
 * (https://github.com/cncf/devstats/blob/master/util_sql/exclude_bots.sql). No login without the hyphen: `talbot` is a
 * person.
 */
const automationEnding = /-(?:bot|robot|ci|jenkins|autoroll|automation|agent)$/

/** Words in names of programs. */
const automationWord =
  /\b(?:bots?|robots?|ci|jenkins|autoroll|automat\w*|agent|service|machine|release|deploy\w*)\b/i

/**
 * Logins of programs that end otherwise, in lowercase, and whose they are: at https://github.com/LOGIN, or in that
 * project.
 */
export const automationAccounts: ReadonlySet<string> = new Set([
  'actions-user', // GitHub Actions
  'asfgit', // Apache Software Foundation
  'astrobot-houston', // withastro/astro
  'brewtestbot', // Homebrew
  'bugbot', // withastro/astro
  'claassistant', // CLA assistant
  'claude', // Claude Code
  'codecov-commenter', // Codecov
  'codecov-io',
  'codex', // Codex
  'conda-forge-admin', // conda-forge
  'copilot', // GitHub Copilot
  'coreosbot', // CoreOS
  'coveralls', // Coveralls
  'crowlbot', // denoland/deno
  'cursoragent', // Cursor
  'denobot', // Deno
  'divybot', // denoland/deno
  'elasticmachine', // Elastic
  'embeddedbot',
  'fibibot', // denoland/deno
  'fluttergithubbot', // Flutter
  'fluxcdbot', // Flux
  'fossabot', // FOSSA
  'fredkbot', // withastro/astro
  'googlebot', // Google's check of license agreements
  'grpc-testing', // gRPC
  'imgbotapp', // ImgBot
  'invalid-email-address', // GitHub gives it commits with addresses that can't exist
  'istio-testing', // Istio
  'k8s-merge-robot', // Kubernetes, which names it `Kubernetes Submit Queue`
  'katacontainersbot', // Kata Containers
  'lunadogbot', // denoland/deno
  'mattermod', // Mattermost
  'mentatbot', // Mentat
  'msftbot', // Microsoft
  'openhands-agent', // OpenHands
  'openssl-machine', // OpenSSL
  'opentelemetrybot', // OpenTelemetry
  'otelbot', // OpenTelemetry
  'prombot', // Prometheus
  'pytorchbot', // PyTorch
  'pytorchmergebot',
  'r-ryantm', // updates of nixpkgs
  'rust-highfive', // Rust
  'rust-timer',
  'rustbot',
  'scala-steward', // Scala Steward
  'tensorflower-gardener', // TensorFlow
  'traeagent', // Trae
  'vaporbot', // Vapor
  'vscodebot', // Visual Studio Code
  'web-flow', // commits made on the site of GitHub
  'weblate', // Weblate
  'zephyrbot', // Zephyr
])

/**
 * What `isBot` decides by. The dataset notes by which rules its users were classified: with others, the next load
 * classifies them again. A test fails if `isBot` decides otherwise by the same rules: then add something here.
 */
export function listAutomationRules(named: NamedAccounts): unknown[] {
  return [automationEnding.source, automationWord.source, ...automationAccounts, ...[...named].sort()]
}

/** Whether an account is a program: the forge says so, or its login does, and its name doesn't say otherwise. */
export function isBot(
  { type, login, name }: { type: string; login: string; name: string | null },
  named: NamedAccounts,
): boolean {
  const key = login.toLowerCase()
  const known = named.get(key)
  if (known !== undefined) return known
  if (type.toLowerCase() === 'bot' || key.endsWith('[bot]')) return true
  if (type.toLowerCase() !== 'user') return false
  return automationAccounts.has(key) || (automationEnding.test(key) && !isOtherName(name ?? '', key))
}

/**
 * Whether a name is neither that of a program nor the login's, with or without its ending: people call themselves
 * `-bot`, too.
 */
function isOtherName(name: string, login: string): boolean {
  const words = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  if (automationWord.test(words)) return false
  const letters = keepLetters(name)
  return letters !== '' && ![login, login.replace(automationEnding, '')].map(keepLetters).includes(letters)
}

function keepLetters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}
