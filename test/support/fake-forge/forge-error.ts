/** Errors in the forge's responses. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql'

/** An error in the form of the forge, which has `type` beside `message`. */
export interface ForgeErrorObject extends GraphQLFormattedError {
  type?: string
}

/** Creates the error that the forge reports at a field. */
export function createForgeError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } })
}

/** Thrown when a query asks for what the real forge has and the fake one doesn't: a gap of the tests. */
export class NotModeledError extends Error {
  constructor(what: string) {
    super(`The fake forge has no ${what}; add it to test/support/fake-forge/resolvers.ts`)
    this.name = 'NotModeledError'
  }
}

/** Formats an error as the forge does. */
export function formatForgeError(error: GraphQLError): ForgeErrorObject {
  const { type, ...extensions } = error.extensions
  return {
    ...(typeof type === 'string' && { type }),
    ...(error.path && { path: error.path }),
    ...(error.locations && { locations: error.locations }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
    message: error.message,
  }
}
