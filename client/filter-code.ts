/**
 * Generates what clients have of filters from openapi.yml: types for TypeScript and Python, and the schemas that the
 * command line and the tools for assistants read. The text of a filter is the first sentence of its description.
 */
import { type Schema, toCamelCase, writeDocstring } from './record-code.ts'

interface Parameter {
  name: string
  in: string
  description: string
  required?: boolean
  explode?: boolean
  schema: Schema
}

/** The parts of openapi.yml that this file reads. */
export interface Contract {
  paths: Record<string, { parameters?: readonly (Parameter | { $ref: string })[] }>
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> }
}

/** A filter, or what a search looks for. */
interface Filter {
  name: string
  text: string
  kind: 'text' | 'number' | 'flag' | 'time'
  choices: readonly string[] | undefined
  minimum: number | undefined
  isList: boolean
  isRequired: boolean
  /** Whether a comma is part of a value. Otherwise, it separates values. */
  mayHaveCommas: boolean
}

/** What has filters, by the names of their types. */
const lists = {
  UserFilter: { path: '/users', text: 'Which users a list has. Without members: all.' },
  RepositoryFilter: { path: '/repos', text: 'Which repositories a list has. Without members: all.' },
  DependencySearch: {
    path: '/dependencies',
    text: 'Which dependencies to find: either by the beginning of their names, or by a part of them.',
  },
  HistorySearch: { path: '/dependencies/history', text: 'Whose history to get: that of one dependency.' },
  LocationSearch: { path: '/locations', text: 'Which locations to find: those that contain a text.' },
  CompanySearch: { path: '/companies', text: 'Which companies to find: those that contain a text.' },
}
type ListName = keyof typeof lists

/** Parameters of pages, and of look-ups of many items. */
const notFilters = ['page', 'per_page', 'after', 'logins', 'full_names', 'forge_rest_ids']
/** Filters that neither the command line nor the tools have under their names. */
const ofProgramsAlone = ['changed_since', 'exclude']

/** Options with shorter names than their parameters. */
const shortOptions: Record<string, string | undefined> = {
  dependency_names: 'dependency',
  dependency_match: 'match',
  without_dependency_names: 'without',
  dependency_files: 'file',
  dependency_status: 'status',
}

/**
 * Generates the files, by their paths in the folder of clients. Throws an `Error` for a filter that they can't have.
 */
export function generateFilterFiles(contract: Contract): Record<string, string> {
  const filters = Object.fromEntries(
    Object.entries(lists).map(([name, { path }]) => [name, readFilters(contract, path)]),
  ) as Record<ListName, Filter[]>
  return {
    'src/filter-types.ts': writeTypes(filters),
    'src/shell/filters.ts': writeOptions(filters),
    'mcp/src/filters.ts': writeSchemas(filters),
    'python/src/devdata_client/_filter_types.py': writePythonTypes(filters),
  }
}

function readFilters({ paths, components: { parameters, schemas } }: Contract, path: string): Filter[] {
  return (paths[path]?.parameters ?? [])
    .map((given) => ('$ref' in given ? find(parameters, given.$ref) : given))
    .filter((parameter) => parameter.in === 'query' && !notFilters.includes(parameter.name))
    .map((parameter) => readFilter(parameter, schemas))
}

function find<Value>(values: Record<string, Value>, reference: string): Value {
  const value = values[reference.slice(reference.lastIndexOf('/') + 1)]
  if (value === undefined) throw new Error(`openapi.yml has no ${reference}`)
  return value
}

function readFilter(parameter: Parameter, schemas: Record<string, Schema>): Filter {
  const { name, description, required = false, explode = true, schema } = parameter
  const resolve = (each: Schema) => (each.$ref === undefined ? each : find(schemas, each.$ref))
  const full = resolve(schema)
  const { type, enum: choices, minimum, pattern } = resolve(full.items ?? full)
  const kinds: Record<string, Filter['kind']> = { string: 'text', integer: 'number', boolean: 'flag' }
  const kind = schema.$ref?.endsWith('/SecondsOrDate') ? 'time' : kinds[String(type)]
  if (kind === undefined) throw new Error(`openapi.yml: clients can't write the parameter ${name}`)
  const [sentence] = /^.*?\.(?= [A-Z`]|$)/.exec(description.trim().replaceAll(/\s+/g, ' ')) ?? [description]
  const isFree = kind === 'text' && choices === undefined && pattern === undefined
  return {
    ...{ name, kind, choices, minimum },
    text: full.default === undefined ? sentence : `${sentence} Default: ${full.default}.`,
    isList: full.items !== undefined,
    isRequired: required,
    mayHaveCommas: isFree && explode,
  }
}

function listNames(filters: Record<ListName, Filter[]>, test: (filter: Filter) => boolean): string {
  const names = Object.values(filters).flatMap((each) => each.filter(test).map(({ name }) => name))
  return [...new Set(names)].map((name) => JSON.stringify(name)).join(', ')
}

const describeTimes = (filters: readonly Filter[], text: string) =>
  filters.some(({ kind }) => kind === 'time') ? ` Times are ${text}.` : ''

function writeTypes(filters: Record<ListName, Filter[]>): string {
  const types = { text: 'string', number: 'number', flag: 'boolean', time: 'string | number' }
  const writeMember = ({ name, text, kind, choices, isList, isRequired }: Filter) => {
    const type = choices?.map((choice) => `'${choice}'`).join(' | ') ?? types[kind]
    const values = isList ? `${type} | readonly ${choices === undefined ? type : `(${type})`}[]` : type
    return `  /** ${text} */\n  ${toCamelCase(name)}${isRequired ? `: ${values}` : `?: ${values} | undefined`}\n`
  }
  const interfaces = (Object.keys(lists) as ListName[]).map((name) => {
    const own = filters[name]
    const text = lists[name].text + describeTimes(own, 'Unix seconds, or a date such as `2026-01-31`')
    return `/** ${text} */\nexport interface ${name} {\n${own.map(writeMember).join('')}}\n`
  })
  return [
    '// Generated from openapi.yml by `npm run client`.\n',
    ...interfaces,
    '/** Parameters whose values may have commas. Those of all others are joined by commas. */',
    `export const repeated: readonly string[] = [${listNames(filters, ({ mayHaveCommas }) => mayHaveCommas)}]\n`,
    '/** Parameters that are true or false. */',
    `export const flags: readonly string[] = [${listNames(filters, ({ kind }) => kind === 'flag')}]\n`,
  ].join('\n')
}

/**
 * Sorts the filters of people and assistants by the lists that have them. Those whose choices depend on the list are
 * among the filters of each.
 */
function sortByList({ UserFilter, RepositoryFilter }: Record<ListName, Filter[]>) {
  const ofPeople = (filters: readonly Filter[]) =>
    filters.filter(({ name }) => !ofProgramsAlone.includes(name))
  const [users, repositories] = [ofPeople(UserFilter), ofPeople(RepositoryFilter)]
  const isIn = (filters: readonly Filter[]) => (filter: Filter) =>
    filters.some(({ name, choices }) => name === filter.name && String(choices) === String(filter.choices))
  return {
    ofUsers: users.filter((filter) => !isIn(repositories)(filter)),
    ofBoth: users.filter(isIn(repositories)),
    ofRepositories: repositories.filter((filter) => !isIn(users)(filter)),
  }
}

/** Sorts them for the command line, where an option has the choices of all lists. */
function sortOptions(filters: Record<ListName, Filter[]>) {
  const { ofUsers, ofBoth, ofRepositories } = sortByList(filters)
  const findOther = (filter: Filter) => ofRepositories.find(({ name }) => name === filter.name)
  const merged = ofUsers.flatMap((filter) => {
    const other = findOther(filter)
    return other === undefined
      ? []
      : [{ ...filter, choices: [...(filter.choices ?? []), ...(other.choices ?? [])] }]
  })
  const isAlone = ({ name }: Filter) => !merged.some((filter) => filter.name === name)
  return {
    ofUsers: ofUsers.filter(isAlone),
    ofBoth: [...ofBoth, ...merged],
    ofRepositories: ofRepositories.filter(isAlone),
  }
}

/** A text without the verb of its sentence. */
function writePhrase(text: string): string {
  const phrase = text
    .replace(/^(Selects|Matches) /, '')
    .replace(/\.$/, '')
    .replaceAll('`', '')
  return phrase.charAt(0).toLowerCase() + phrase.slice(1)
}

/** Writes the options of the command line, and what its help says about them. */
function writeOptions(filters: Record<ListName, Filter[]>): string {
  const { ofUsers, ofBoth, ofRepositories } = sortOptions(filters)
  const nameOption = (name: string) => shortOptions[name] ?? name.replaceAll('_', '-')
  const write = (name: string, text: string, filters: readonly Filter[]) => {
    const options = filters.map(({ name, kind, choices, isList }) => {
      const values = kind === 'flag' ? ['true', 'false'] : choices
      const rules = [
        ...(shortOptions[name] === undefined ? [] : [`member: '${toCamelCase(name)}'`]),
        ...(isList ? ['multiple: true'] : []),
        ...(kind === 'number' || kind === 'flag' ? [`kind: '${kind}'`] : []),
        ...(values === undefined ? [] : [`choices: [${values.map((value) => `'${value}'`).join(', ')}]`]),
      ]
      const option = nameOption(name)
      const rule = rules.length === 0 ? '{}' : `{ ${rules.join(', ')} }`
      return `  ${option.includes('-') ? `'${option}'` : option}: ${rule},\n`
    })
    return `/** ${text} */\nexport const ${name}: FilterOptions = {\n${options.join('')}}\n`
  }
  const lines = [...ofUsers, ...ofBoth, ...ofRepositories].map(({ name, text, kind, choices, isList }) => {
    const value = choices?.join('|') ?? { text: 'TEXT', number: 'N', flag: 'true|false', time: 'TIME' }[kind]
    const option = `  --${nameOption(name)} ${value}`
    const start = option.length < 24 ? option.padEnd(24) : `${option}\n${' '.repeat(24)}`
    return `${start}${writePhrase(text)}${isList ? '; may be repeated' : ''}\n`
  })
  return [
    "// Generated from openapi.yml by `npm run client`.\nimport type { FilterOptions } from './filter-options.ts'\n",
    write('userOptions', 'Options that filter users alone.', ofUsers),
    write('sharedOptions', 'Options that filter users and repositories.', ofBoth),
    write('repositoryOptions', 'Options that filter repositories alone.', ofRepositories),
    `/** What the help says about them. */\nexport const filterHelp = \`${lines.join('')}\`\n`,
  ].join('\n')
}

/** Writes the filters of lists as JSON Schema, in the part of it that all assistants take. */
function writeSchemas(filters: Record<ListName, Filter[]>): string {
  const types = { text: 'string', number: 'integer', flag: 'boolean', time: 'string' }
  const write = (name: string, text: string, filters: readonly Filter[]) => {
    const schemas = filters.map(({ name, kind, choices, minimum, isList, text }) => {
      const schema = { type: types[kind], enum: choices, minimum }
      const description = writePhrase(text)
      const full = isList ? { type: 'array', items: schema, description } : { ...schema, description }
      return `  ${name}: ${JSON.stringify(full)},\n`
    })
    return `/** ${text} */\nexport const ${name} = {\n${schemas.join('')}} as const\n`
  }
  const { ofUsers, ofBoth, ofRepositories } = sortByList(filters)
  return [
    '// Generated from openapi.yml by `npm run client`.\n',
    write('userFilters', 'Filters that only users have.', ofUsers),
    write('repositoryFilters', 'Filters that only repositories have.', ofRepositories),
    write('sharedFilters', 'Filters that both have.', ofBoth),
    '/** Filters whose texts may have commas. Texts of the others are several, as in the parameters of the API. */',
    `export const textsWithCommas: readonly string[] = [${listNames(filters, ({ mayHaveCommas }) => mayHaveCommas)}]\n`,
  ].join('\n')
}

function writePythonTypes(filters: Record<ListName, Filter[]>): string {
  const types = { text: 'str', number: 'int', flag: 'bool', time: 'str | int | datetime.date' }
  const writeMember = ({ name, text, kind, choices, isList }: Filter) => {
    const type =
      choices === undefined
        ? types[kind]
        : `Literal[${choices.map((each) => JSON.stringify(each)).join(', ')}]`
    return `    ${name}: ${isList ? `${type} | Sequence[${type}]` : type} | None\n${writeDocstring(text, '    ')}`
  }
  const classes = (['UserFilter', 'RepositoryFilter'] as const).map((name) => {
    const own = filters[name]
    const times = describeTimes(own, 'Unix seconds, dates, or a `datetime` with a time zone')
    const text = `${lists[name].text} A member that is None is left out.${times}`
    return `class ${name}(TypedDict, total=False):\n${writeDocstring(text, '    ')}\n${own.map(writeMember).join('')}\n`
  })
  const writeNames = (name: string, test: (filter: Filter) => boolean) =>
    `${name}: Final[tuple[str, ...]] = (${listNames(filters, test)},)\n`
  return [
    '"""Filters of lists. Generated from openapi.yml by ``npm run client``."""\n',
    'from __future__ import annotations\n',
    'import datetime\nfrom collections.abc import Sequence\nfrom typing import Final, Literal, TypedDict\n\n',
    ...classes,
    writeNames('REPEATED', ({ mayHaveCommas }) => mayHaveCommas) +
      '"""Parameters whose values may have commas, and are repeated. Those of all others are joined by commas."""\n' +
      writeNames('FLAGS', ({ kind }) => kind === 'flag') +
      writeNames('TIMES', ({ kind }) => kind === 'time'),
  ].join('\n')
}
