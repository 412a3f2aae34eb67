import { createRandom, type Random } from './random.ts'
import { forgeOrigin, makeGraphqlId, type SampleUser, takenAt } from './records.ts'
import {
  bios,
  companies,
  familyNames,
  givenNames,
  namesInOtherScripts,
  organizationKinds,
  organizationNames,
} from './vocabulary/people.ts'
import { commonPlaces, rarePlaces } from './vocabulary/places.ts'

const peopleCount = 265
const organizationCount = 34
const userCount = peopleCount + organizationCount + 1

interface Identity {
  login: string
  name: string | null
  type: SampleUser['type']
}

/**
 * Creates the users: people, organizations and one bot. Logins, ids and email addresses are unique. The order is
 * not that of the ids, so that an order by internal id differs from one by `forge_rest_id`.
 */
export function createUsers(): SampleUser[] {
  const random = createRandom('users')
  const identities = [...createPeople(), ...createOrganizations(), createBot()]
  const places = random.shuffle([...rarePlaces, ...placesOfMost()])
  const organizations = identities.filter(({ type }) => type === 'Organization')
  const ids = random.shuffle(createIds())

  return random.shuffle(identities).map((identity, index): SampleUser => {
    const restId = ids[index] ?? 0
    const isPerson = identity.type === 'User'
    // Accounts with a greater id are younger, as on a real forge.
    const createdAt = 1_200_000_000 + Math.floor(restId * 0.2235) + random.integer(0, 400_000)
    return {
      forge_rest_id: restId,
      forge_graphql_id: makeGraphqlId(
        identity.type === 'User' ? 'U' : identity.type === 'Bot' ? 'B' : 'O',
        restId,
      ),
      login: identity.login,
      name: identity.name,
      email: createEmail(random, identity),
      avatar_url: random.chance(0.04) ? null : `https://avatars.${new URL(forgeOrigin).host}/u/${restId}?v=4`,
      company: isPerson && random.chance(0.5) ? createCompany(random, organizations) : null,
      location: places[index] ?? null,
      bio: random.chance(0.45) ? null : random.pickSkewed(bios),
      followers: skewedCount(random, isPerson ? 30_000 : 90_000),
      following: isPerson ? skewedCount(random, 900) : 0,
      type: identity.type,
      created_at: formatTime(createdAt),
      updated_at: formatTime(random.integer(Math.max(createdAt, takenAt - 90_000_000), takenAt)),
    }
  })
}

function createPeople(): Identity[] {
  const random = createRandom('people')
  const people: Identity[] = namesInOtherScripts.map(({ name, login }) => ({ name, login, type: 'User' }))
  const logins = new Set(people.map(({ login }) => login))
  while (people.length < peopleCount) {
    const given = random.pick(givenNames)
    const family = random.pick(familyNames)
    const login = createLogin(random, toAscii(given), toAscii(family))
    if (logins.has(login.toLowerCase())) continue
    logins.add(login.toLowerCase())
    people.push({ login, name: random.chance(0.14) ? null : `${given} ${family}`, type: 'User' })
  }
  return people
}

function createLogin(random: Random, given: string, family: string): string {
  const lower = `${given} ${family}`.toLowerCase().split(' ')
  return random.pick([
    lower.join(''),
    lower.join('-'),
    `${given}${family}`,
    `${given.toLowerCase()}${random.integer(1, 99)}`,
    `${given.charAt(0).toLowerCase()}${family.toLowerCase()}`,
    `${family.toLowerCase()}-dev`,
    `${given.toLowerCase()}-codes`,
  ])
}

function createOrganizations(): Identity[] {
  const random = createRandom('organizations')
  const organizations = new Map<string, Identity>()
  // Every name once, then some again with another second half.
  for (let index = 0; organizations.size < organizationCount; index += 1) {
    const first = organizationNames[index % organizationNames.length] ?? ''
    const kind = organizationKinds[index < organizationNames.length ? index % 3 : random.integer(3, 5)] ?? ''
    const login = `${first}-${kind}`.toLowerCase()
    organizations.set(login, {
      login,
      name: random.chance(0.1) ? null : `${first} ${kind}`,
      type: 'Organization',
    })
  }
  return [...organizations.values()]
}

function createBot(): Identity {
  return { login: 'build-helper[bot]', name: 'Build Helper', type: 'Bot' }
}

/** Locations of those who do not have one of the rare ones; about a quarter of all have none. */
function placesOfMost(): (string | null)[] {
  const random = createRandom('places')
  return Array.from({ length: userCount - rarePlaces.length }, () =>
    random.chance(0.3) ? null : random.pickSkewed(commonPlaces),
  )
}

function createEmail(random: Random, { login, type }: Identity): string | null {
  if (type === 'Bot' || random.chance(type === 'User' ? 0.27 : 0.4)) return null
  const local = login.toLowerCase()
  if (type === 'Organization') return `hello@${local}.example`
  return random.pick([
    `${local}@example.com`,
    `${local}@example.org`,
    `${local}@example.net`,
    `${local}@mail.example`,
    `me@${local}.example`,
    `${local}+forge@example.com`,
  ])
}

function createCompany(random: Random, organizations: readonly Identity[]): string {
  const company = random.pick(companies)
  return company === '@' ? `@${random.pickSkewed(organizations).login}` : company
}

/** Ascending ids with gaps; the last are beyond 2^31 - 1 and below 2^32. */
function createIds(): number[] {
  const random = createRandom('user ids')
  const ids: number[] = []
  for (let id = 0; ids.length < userCount; ) {
    id += random.integer(1, 15_500_000)
    ids.push(id)
  }
  return ids
}

/** Small for most, up to `maximum` for a few. */
function skewedCount(random: Random, maximum: number): number {
  return Math.floor(random.skewedFraction(8) * maximum + random.fraction() * 40)
}

function toAscii(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll('ø', 'o')
    .replaceAll('ı', 'i')
    .replaceAll(/[^A-Za-z]/g, '')
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}
