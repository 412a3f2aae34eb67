/** First halves of repository names. */
export const topics: readonly string[] = `
  agent atlas badge beacon blog budget cache calendar canvas catalog chess cipher clock cloud compass config crawler
  dashboard dataset deploy diagram docs editor events export feed fixture forms game geo graph grid grocery habit hash
  image inbox index invoice journal keyboard lambda ledger lens limiter log mail map markdown mesh meter metrics mosaic
  music notes orbit parser photo pipeline podcast portfolio proxy puzzle queue quiz radar recipe reader report router
  schedule schema search sensor session shop signal sketch snippet socket sprite stats storage stream sync table task
  terminal theme ticket timer todo token trace transit translate tree trivia vault vector video wallet weather widget
  wiki`
  .trim()
  .split(/\s+/)

/** Second halves of repository names. */
export const kinds: readonly string[] = `
  api app bot cli client core demo engine examples exporter kit lib js py rs go server service starter template tools ui
  viewer web worker`
  .trim()
  .split(/\s+/)

/** Whole names as a few repositories have them: dots, underscores, capitals, nothing else. */
export const oddRepositoryNames: readonly string[] = [
  'dotfiles',
  '.forge',
  'Awesome_List',
  'HelloWorld',
  'node.js-notes',
  '2048',
  'advent-of-code-2024',
  'thesis',
  '_archive',
  'x',
]

/** Licenses as SPDX names them, the most used first; null for none. */
export const licenses: readonly (string | null)[] = [
  'MIT',
  null,
  'Apache-2.0',
  'MIT',
  null,
  'GPL-3.0',
  'BSD-3-Clause',
  'ISC',
  'AGPL-3.0',
  'MPL-2.0',
  'Unlicense',
  'CC-BY-4.0',
]

/** What descriptions say after the topic of the repository. */
export const descriptions: readonly string[] = [
  'A small {topic} {kind} that does one thing',
  '{topic} for people in a hurry 🚀',
  'The {topic} behind our products',
  'Experiments with {topic}, mostly unfinished',
  'Fast, typed and tested {topic} {kind}',
  'My {topic}, in public',
  'Course material: build your own {topic}',
  'A {topic} without dependencies (almost)',
  '{topic} {kind}; see the docs folder',
  'Ein kleines Werkzeug: {topic}',
  'Biblioteca de {topic} para todos',
]
