/** Arguments that name a person: `[login] --email … --id …` */
import { type Command, InvalidArgumentError } from 'commander'
import {
  forgeNamePattern,
  forgeNameRule,
  identifyForgeId,
  identifyGivenAddress,
  identifyLogin,
  maxAddressLength,
} from '../names/forge-names.ts'
import { readForgeId } from './arguments.ts'

/** The options. */
export interface PersonOptions {
  /** Identities. */
  email?: string[]
  id?: number
}

/** Adds the arguments to a command. */
export function addPersonOptions(command: Command): Command {
  return command
    .argument('[login]', "the person's login", readLogin)
    .option('--email <address>', 'an email address of the person; may be repeated', readAddress)
    .option('--id <n>', "the person's id in the forge's REST API", readForgeId)
}

function readLogin(login: string): string {
  if (forgeNamePattern.test(login)) return login
  throw new InvalidArgumentError(`It ${forgeNameRule}`)
}

/** Returns the identities of all addresses so far. */
function readAddress(address: string, others: string[] = []): string[] {
  const identity = identifyGivenAddress(address)
  if (identity !== null) return [...others, identity]
  throw new InvalidArgumentError(
    'It must be an email address and nothing else, such as ada@example.com, ' +
      `of at most ${maxAddressLength} characters; repeat the option for each address.`,
  )
}

/** Lists the identities that the arguments name. */
export function listIdentities(login: string | undefined, { email = [], id }: PersonOptions): string[] {
  return [
    ...(login === undefined ? [] : [identifyLogin(login)]),
    ...email,
    ...(id === undefined ? [] : [identifyForgeId(id)]),
  ]
}
