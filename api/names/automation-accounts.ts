/**
 * Accounts of programs. The forge has some of them as type `User`, because people registered them. Only their logins tell
 * what they are.
 *
 * @module
 */

/** What an operator says of accounts, by login in lowercase: whether it is a program. */
export type NamedAccounts = ReadonlyMap<string, boolean>

/**
 * What logins of programs end in. DevStats, the statistics of the CNCF, leaves out the first four and others
 * (https://github.com/cncf/devstats/blob/master/util_sql/exclude_bots.sql). No login without the hyphen: `talbot` is a person.
 */
const automationEnding = /-(?:bot|robot|ci|jenkins|autoroll|automation)$/

/** Logins of programs that end otherwise, in lowercase, and whose they are: at https://github.com/LOGIN, or in that project. */
export const automationAccounts: ReadonlySet<string> = new Set([
  'actions-user', // GitHub Actions
  'asfgit', // Apache Software Foundation
  'astrobot-houston', // withastro/astro
  'brewtestbot', // Homebrew
  'claassistant', // CLA assistant
  'claude', // Claude Code
  'codecov-commenter', // Codecov
  'codecov-io',
  'conda-forge-admin', // conda-forge
  'coreosbot', // CoreOS
  'coveralls', // Coveralls
  'cursoragent', // Cursor
  'denobot', // Deno
  'elasticmachine', // Elastic
  'fluttergithubbot', // Flutter
  'fluxcdbot', // Flux
  'fossabot', // FOSSA
  'fredkbot', // withastro/astro
  'googlebot', // Google's check of license agreements
  'grpc-testing', // gRPC
  'imgbotapp', // ImgBot
  'invalid-email-address', // GitHub gives it commits with addresses that can't exist
  'istio-testing', // Istio
  'katacontainersbot', // Kata Containers
  'mattermod', // Mattermost
  'msftbot', // Microsoft
  'openhands-agent', // OpenHands
  'openssl-machine', // OpenSSL
  'opentelemetrybot', // OpenTelemetry
  'prombot', // Prometheus
  'pytorchbot', // PyTorch
  'pytorchmergebot',
  'r-ryantm', // updates of nixpkgs
  'rust-highfive', // Rust
  'rust-timer',
  'rustbot',
  'scala-steward', // Scala Steward
  'tensorflower-gardener', // TensorFlow
  'vscodebot', // Visual Studio Code
  'web-flow', // commits made on the site of GitHub
  'weblate', // Weblate
  'zephyrbot', // Zephyr
])

/**
 * What `isBot` decides by. The dataset notes by which rules its users were classified: with others, the next load classifies them
 * again. If you change the code of `isBot`, add something here.
 */
export function listAutomationRules(named: NamedAccounts): unknown[] {
  return [automationEnding.source, ...automationAccounts, ...[...named].sort()]
}

/** Whether an account is a program: the forge says so, or its login does. */
export function isBot({ type, login }: { type: string; login: string }, named: NamedAccounts): boolean {
  const key = login.toLowerCase()
  return (
    named.get(key) ??
    (type.toLowerCase() === 'bot' ||
      key.endsWith('[bot]') ||
      (type.toLowerCase() === 'user' && (automationEnding.test(key) || automationAccounts.has(key))))
  )
}
