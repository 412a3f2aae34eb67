/** The content of the reference as pages show it: the types of `reference.ts`, with texts as HTML. */
import { getCollection } from 'astro:content'
import type { ApiReference, Endpoint, Resource, Tag } from '../reference.ts'
import { docsPath } from './docs-path.ts'

/** `content.config.ts` stores the reference without a schema of its own, so its entries have no type. */
async function list<Kind extends keyof ApiReference>(kind: Kind): Promise<ApiReference[Kind]> {
  return (await getCollection(kind)).map(({ data }) => data) as unknown as ApiReference[Kind]
}

async function findById<Item extends { id: string }>(items: Promise<Item[]>, id: string): Promise<Item> {
  const item = (await items).find((each) => each.id === id)
  if (item === undefined) throw new Error(`The reference has no ${id}`)
  return item
}

/** Lists the groups of endpoints, in the order of `openapi.yml`. */
export const listTags = async (): Promise<Tag[]> =>
  (await list('tags')).sort((a, b) => a.position - b.position)

/** Lists the endpoints. */
export const listEndpoints = (): Promise<Endpoint[]> => list('endpoints')

/** Lists the resources, in the order of `openapi.yml`. */
export const listResources = async (): Promise<Resource[]> =>
  (await list('resources')).sort((a, b) => a.position - b.position)

/** The URL of an object's section, by its id. */
export const linkObject = (id: string): string => `${docsPath}/reference/objects/#${id}`

/** The place of an endpoint in the viewer, relative to its page. */
export const linkOperation = ({ tag, operationId }: Endpoint): string =>
  `#tag/${tag.toLowerCase()}/${operationId}`

/** Finds an endpoint. Rejects if there is none with this id. */
export const findEndpoint = (id: string): Promise<Endpoint> => findById(listEndpoints(), id)

/** Finds a resource. Rejects if there is none with this id. */
export const findResource = (id: string): Promise<Resource> => findById(listResources(), id)

/** The text of a description in one line, without its HTML. */
export const writeSummary = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
