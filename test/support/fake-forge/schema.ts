/** The schema of GitHub's GraphQL API, as GitHub publishes it. */
import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema } from 'graphql'

let schema: GraphQLSchema | undefined

/** Reads the schema once: it takes half a second. */
export function loadSchema(): GraphQLSchema {
  if (schema === undefined) {
    // The package exports a module that loads the schema twice, and not the file.
    const file = new URL('../../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url)
    schema = buildSchema(readFileSync(file, 'utf8'), { assumeValid: true, noLocation: true })
  }
  return schema
}
