/** What the dataset covers, as pages show it: without scripts, from the same figures as `/docs/coverage.json`. */
import type { Coverage } from '../catalog/coverage.ts'
import { type Bar, drawGrowth, writeBars, writeCount, writeDay } from './charts.ts'
import { joinText, type Slots, type SlotText, writeTable } from './slots.ts'

/** Why a page has no figures. */
export type NoCoverage = 'unreadable' | 'not public'

const writePercent = (share: number) => `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })}%`
const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** Units of an age, and the smallest number of each that is written. */
const ages: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number, least: number])[] = [
  ['year', 31_556_952, 2],
  ['month', 2_629_746, 2],
  ['day', 86_400, 1],
  ['hour', 3_600, 1],
  ['minute', 60, 1],
]

/** `2 hours ago`. */
function writeAge(time: string, nowMs: number): string {
  const seconds = Math.max(0, nowMs - Date.parse(time)) / 1000
  const [unit, length] = ages.find(([, each, least]) => seconds >= each * least) ?? ['minute', 60]
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-Math.floor(seconds / length), unit)
}

function writeParagraph(text: string, className = ''): SlotText {
  const { html, markdown } = joinText(text)
  return { html: `<p${className && ` class="${className}"`}>${html}</p>\n`, markdown }
}

/** What grows from load to load. */
const growing = [
  ['users', 'Users'],
  ['repositories', 'Repositories'],
  ['commits', 'Commits'],
] as const

/**
 * How many there were after each load, the oldest first. What was removed or forgotten between loads was never there.
 */
function listSizes(
  { loads, ...now }: Coverage,
  member: (typeof growing)[number][0],
): { time: number; size: number }[] {
  let size = now[member]
  return loads
    .map((load) => {
      const after = { time: new Date(load.applied_at).getTime(), size: Math.max(0, size) }
      size += load[member].removed - load[member].added
      return after
    })
    .reverse()
}

const writeChange = ({ added, updated, removed }: { added: number; updated: number; removed: number }) =>
  [
    `+${writeCount(added)}`,
    ...(updated > 0 ? [`${writeCount(updated)} changed`] : []),
    ...(removed > 0 ? [`−${writeCount(removed)}`] : []),
  ].join(', ')

function writeLoads(coverage: Coverage): SlotText {
  const { loads } = coverage
  if (loads.length === 0) return writeParagraph('Nothing has been loaded yet.')
  const rows = loads.map((load) => [
    new Date(load.applied_at).toISOString().slice(0, 16).replace('T', ' '),
    load.source,
    ...growing.map(([member]) => writeChange(load[member])),
  ])
  const table = writeTable(['Applied at (UTC)', 'Source', ...growing.map(([, title]) => title)], rows)
  // One load is a point, not a line.
  const charts =
    loads.length > 1 ? growing.map(([member, title]) => drawGrowth(title, listSizes(coverage, member))) : []
  const summary = loads.length === 1 ? 'The load' : `The last ${loads.length} loads`
  return {
    html: `<div class="growth">${charts.join('')}</div><details${loads.length === 1 ? ' open' : ''}><summary>${summary}</summary>${table.html}</details>`,
    markdown: table.markdown,
  }
}

const fieldNames: Readonly<Record<string, string>> = {
  name: 'Name',
  email: 'Email address',
  avatar_url: 'Picture',
  company: 'Company',
  location: 'Location',
  bio: 'Bio',
}

/** How old the data itself is. A load can be new, and its records old. */
function writeNewest({ last_push, last_commit }: Coverage, nowMs: number): string {
  if (last_push !== null && last_push === last_commit)
    return `The newest push and commit were on ${writeDay(last_push)} (${writeAge(last_push, nowMs)}). `
  const days = { push: last_push, commit: last_commit }
  return Object.entries(days)
    .map(([what, day]) =>
      day === null ? '' : `The newest ${what} was on ${writeDay(day)} (${writeAge(day, nowMs)}). `,
    )
    .join('')
}

/** How old the data is, and when it was loaded. */
function writeFreshness(coverage: Coverage, nowMs: number): SlotText {
  const { dataset, refreshed } = coverage
  const load = refreshed.newest === null ? '' : ` The last load was ${writeAge(refreshed.newest, nowMs)}.`
  return joinText(
    writeNewest(coverage, nowMs),
    `Version ${writeCount(dataset.version)} of the data, changed ${writeAge(dataset.updated_at, nowMs)}.${load}`,
  )
}

/** What a load reads, in words. */
function describeOrigin({ command, source }: Coverage['loads'][number]): string {
  if (command === 'import github') return `${source}, with the git history of each repository`
  return command === 'import git' ? 'the git histories of clones' : 'the operator’s files'
}

/** What the data was loaded from. */
function writeSource({ loads }: Coverage): SlotText {
  if (loads.length === 0) return joinText('Nothing has been loaded yet.')
  const origins = new Set(loads.map(describeOrigin))
  return joinText(`Loaded from ${new Intl.ListFormat('en').format(origins)}.`)
}

const countBars = (items: readonly (Pick<Bar, 'name' | 'note' | 'link'> & { count: number })[]): Bar[] =>
  items.map(({ count, ...names }) => ({ ...names, size: count, text: writeCount(count) }))

/** Countries and packages that the page shows. The figures have more. */
const maxCountries = 20
const maxPackages = 20

/** Each package once, with the users of the manifest that most have it in, and the names of all its manifests. */
function listPackages({ packages }: Coverage) {
  return [...Map.groupBy(packages, ({ dependency_name }) => dependency_name)]
    .slice(0, maxPackages)
    .map(([name, each]) => ({
      name,
      note: each.map(({ dependency_file }) => dependency_file).join(', '),
      link: `../history/?name=${encodeURIComponent(name)}`,
      count: each[0]?.users ?? 0,
    }))
}

const listYears = (years: readonly { year: number; count: number }[]) =>
  countBars(years.map(({ year, count }) => ({ name: String(year), count })))

/** What users write of themselves. */
function listTextCharts({ countries, companies }: Coverage) {
  return [
    {
      title: 'Countries',
      about: 'Users whose location names the country. A location that names none, or several, isn’t counted.',
      chart: writeBars(
        'Country',
        'Users',
        countBars(
          countries.slice(0, maxCountries).map(({ country, users }) => ({
            name: countryNames.of(country) ?? country,
            count: users,
          })),
        ),
      ),
    },
    {
      title: 'Companies',
      about: 'Users by company. A company counts only if at least three users spell it the same way.',
      chart: writeBars(
        'Company',
        'Users',
        countBars(companies.map(({ company, users }) => ({ name: company, count: users }))),
      ),
    },
  ]
}

/** What readers compare, each with a chart. */
function listCharts(coverage: Coverage) {
  const { user_fields, languages, manifests, push_years, commit_years } = coverage
  const fields = Object.entries(user_fields).map(([field, share]) => ({
    name: fieldNames[field] ?? field,
    size: share,
    text: writePercent(share),
  }))
  return [
    {
      title: 'Fields of users',
      about: 'How many of all users have filled in each field.',
      chart: writeBars('Field', 'Share of users', fields, 1),
    },
    {
      title: 'Last pushes',
      about: 'Repositories by the year of their last push.',
      chart: writeBars(
        'Year',
        'Repositories',
        listYears(push_years.map(({ year, repositories }) => ({ year, count: repositories }))),
      ),
    },
    {
      title: 'Last commits',
      about: 'Users by the year of their last commit.',
      chart: writeBars(
        'Year',
        'Users',
        listYears(commit_years.map(({ year, users }) => ({ year, count: users }))),
      ),
    },
    {
      title: 'Languages',
      about: 'Repositories that are mostly written in the language.',
      chart: writeBars(
        'Language',
        'Repositories',
        countBars(languages.map(({ language, repositories }) => ({ name: language, count: repositories }))),
      ),
    },
    {
      title: 'Manifests',
      about: 'Repositories that have declared a package in the file.',
      chart: writeBars(
        'Manifest',
        'Repositories',
        countBars(
          // The figures rank them by users.
          manifests
            .toSorted((one, other) => other.repositories - one.repositories)
            .map(({ dependency_file, repositories }) => ({
              name: dependency_file,
              count: repositories,
            })),
        ),
      ),
    },
    ...listTextCharts(coverage),
    {
      title: 'Packages',
      about: 'Users who use the package, now or before, by the manifest that most declare it in.',
      chart: writeBars('Package', 'Users', countBars(listPackages(coverage))),
    },
  ]
}

/** The whole page. */
function writeCoverage(coverage: Coverage, nowMs: number): SlotText {
  const { users, repositories, commits, dependencies } = coverage
  const figures = Object.entries({
    Users: users,
    Repositories: repositories,
    Commits: commits,
    Packages: dependencies,
  })
  const sample = isSample(coverage)
    ? writeParagraph('This is the sample data: 300 invented users, for trying the service.', 'notice')
    : { html: '', markdown: '' }
  const freshness = writeFreshness(coverage, nowMs)
  const charts = listCharts(coverage)
  const loads = writeLoads(coverage)
  const writeFigure = ([title, count]: [string, number]) =>
    `<div><dt>${title}</dt><dd>${writeCount(count)}</dd></div>`
  const writeSection = ({ title, about, chart }: (typeof charts)[number]) =>
    `<section><h2 id="${title.toLowerCase().replaceAll(' ', '-')}">${title}</h2><p>${about}</p>${chart.html}</section>`
  return {
    html: `${sample.html}<dl class="figures">${figures.map(writeFigure).join('')}</dl>
<p>${freshness.html} ${writeSource(coverage).html}</p>
<div class="charts">${charts.map(writeSection).join('')}</div>
<h2 id="growth">Growth</h2>
${loads.html}`,
    markdown: [
      ...(sample.markdown === '' ? [] : [sample.markdown]),
      figures.map(([title, count]) => `- ${title}: ${writeCount(count)}`).join('\n'),
      `${freshness.markdown} ${writeSource(coverage).markdown}`,
      ...charts.map(({ title, about, chart }) => `## ${title}\n\n${about}\n\n${chart.markdown}`),
      `## Growth\n\n${loads.markdown}`,
    ].join('\n\n'),
  }
}

const noFigures: Readonly<Record<NoCoverage, SlotText>> = {
  unreadable: writeParagraph('The figures can’t be read at the moment. Reload this page in a minute.'),
  'not public': writeParagraph('The operator of this service doesn’t publish figures about the data.'),
}

/** Users, repositories, commits and packages of the sample data, by which it is known. */
const sampleFigures = '300 400 5878 297'

const isSample = ({ users, repositories, commits, dependencies }: Coverage): boolean =>
  [users, repositories, commits, dependencies].join(' ') === sampleFigures

/** The slots that the dataset fills. */
export function writeCoverageSlots(coverage: Coverage | NoCoverage, nowMs: number): Slots {
  if (typeof coverage === 'string') {
    const nothing = { html: '', markdown: '' }
    return {
      coverage: noFigures[coverage],
      'live-figures': nothing,
      'data-source': nothing,
      'data-age': nothing,
    }
  }
  const { users, repositories, last_push, last_commit } = coverage
  const newest = [last_push, last_commit]
    .flatMap((day) => day ?? [])
    .toSorted()
    .at(-1)
  const texts = [
    ...(isSample(coverage) ? ['Sample data'] : []),
    `${writeCount(users)} users`,
    `${writeCount(repositories)} repositories`,
    ...(newest === undefined ? [] : [`newest record ${writeAge(newest, nowMs)}`]),
  ]
  return {
    coverage: writeCoverage(coverage, nowMs),
    'data-source': writeSource(coverage),
    'data-age': joinText(writeNewest(coverage, nowMs).trim() || 'No push or commit has a known date.'),
    'live-figures': {
      html: `<span id="live-figures"${isSample(coverage) ? ' data-sample' : ''}>${texts.map((text) => `<span>${text}</span>`).join(' ')}</span>`,
      markdown: texts.join(' · '),
    },
  }
}
