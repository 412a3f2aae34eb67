/** Who commits to the repositories of the fake organization, and under which addresses. */
import type { Random } from '../../../sample/random.ts'
import { strangers } from '../../../sample/vocabulary/commits.ts'
import { bios, companies, familyNames, givenNames } from '../../../sample/vocabulary/people.ts'
import { commonPlaces } from '../../../sample/vocabulary/places.ts'
import type { Person } from './git-repository.ts'
import { type Account, type ForgeModel, formatTime, noReplyAddress, noReplyHost } from './model.ts'

/** Someone who commits, under one or several names and addresses. */
export interface Author {
  /** Undefined: nobody on the forge. */
  account: Account | undefined
  identities: readonly Person[]
}

/** Everybody who commits. */
export interface Authors {
  people: readonly Author[]
  /** Their accounts are deleted once they have committed. */
  leavers: readonly Author[]
  /** Addresses that no account has. */
  strangers: readonly Author[]
  /** A bot with an account, and one whose account is gone. */
  bots: readonly Author[]
}

/** Adds the accounts to the forge. At least one in fifty leaves. */
export function createAuthors(model: ForgeModel, random: Random, peopleCount: number): Authors {
  const people = Array.from({ length: peopleCount }, (_, index) => createPerson(model, random, index + 1))
  const leaverCount = Math.ceil(peopleCount / 50)
  const leavers = Array.from({ length: leaverCount }, (_, index) =>
    createPerson(model, random, peopleCount + index + 1),
  )
  const bot = model.addAccount({ kind: 'Bot', login: 'dependabot' })
  return {
    people,
    leavers,
    strangers: strangers.map((email) => ({ account: undefined, identities: [{ name: 'Unknown', email }] })),
    bots: [
      { account: bot, identities: [{ name: 'dependabot[bot]', email: noReplyAddress(bot) }] },
      {
        account: undefined,
        identities: [{ name: 'ci-runner[bot]', email: `999000001+ci-runner[bot]@${noReplyHost}` }],
      },
    ],
  }
}

function createPerson(model: ForgeModel, random: Random, number: number): Author {
  const given = random.pick(givenNames)
  const family = random.pick(familyNames)
  const name = `${given} ${family}`
  const plain = name.normalize('NFD').replaceAll(/[^A-Za-z]/g, '')
  const login = `${random.chance(0.5) ? plain : plain.toLowerCase()}${number}`
  const addresses = ['work', 'home', 'old']
    .slice(0, random.integer(1, 3))
    .map((place) => `${login.toLowerCase()}@${place}.example`)
  const createdAt = random.integer(1_300_000_000, 1_690_000_000)
  const account = model.addAccount({
    login,
    addresses,
    name: random.chance(0.15) ? null : name,
    email: random.chance(0.4) ? (addresses[0] ?? '') : '',
    company: random.chance(0.4) ? random.pick(companies) : null,
    location: random.chance(0.6) ? random.pickSkewed(commonPlaces) : null,
    bio: random.chance(0.4) ? random.pickSkewed(bios) : null,
    followerCount: Math.floor(random.skewedFraction(6) * 9000),
    followingCount: Math.floor(random.skewedFraction(4) * 300),
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(random.integer(createdAt, 1_751_000_000)),
  })
  const emails = [
    ...addresses,
    ...(random.chance(0.4) ? [noReplyAddress(account)] : []),
    // The form of accounts that are older than 2017.
    ...(random.chance(0.08) ? [`${login}@${noReplyHost}`] : []),
  ]
  // git's user.name is anything, and the case of an address means nothing.
  const identities = emails.map((email) => ({
    name: random.chance(0.8) ? name : login,
    email: random.chance(0.05) ? email.toUpperCase() : email,
  }))
  return { account, identities }
}
