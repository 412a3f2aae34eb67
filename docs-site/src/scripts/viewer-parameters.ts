/** The parameters of the viewer: what it fills in for the first request of an operation, and commas in lists. */

interface Parameter {
  in: string
  name: string
  required?: boolean
  example?: unknown
  explode?: boolean
  schema: { type?: string; items?: object; enum?: unknown[] }
}

/** The parts of `openapi.json` that this file changes. */
export interface Components {
  parameters: Record<string, Parameter>
}

/**
 * Parameters whose examples a first request sends, besides those that are required. Others would leave nothing to find.
 */
const sent = [
  ...['page', 'per_page', 'location', 'dependency_names', 'dependency_files', 'dependency_status'],
  ...['prefix', 'limit', 'day'],
]

/** Scalar fills in every example. A first request asks for little: two items, and no conditional headers. */
export function reduceExamples(components: Components): void {
  for (const parameter of Object.values(components.parameters)) {
    const { name, required = false } = parameter
    const isUnsent = parameter.in === 'query' && !required && !sent.includes(name)
    if (parameter.in === 'header' || isUnsent) delete parameter.example
    // Of a few values, Scalar sends the first one without being asked to.
    if (isUnsent && parameter.schema.enum !== undefined) parameter.schema = { type: 'string' }
    if (name === 'per_page') parameter.example = 2
  }
}

/**
 * Turns lists into texts, so that what a reader types in a field is one value. Scalar splits the text of a list at its
 * commas, and would make two places of `Berlin, Germany`. For several places, readers add rows with the same name.
 */
export function typeListsAsTexts(components: Components): void {
  for (const parameter of Object.values(components.parameters)) {
    const { schema, example, explode = true } = parameter
    if (parameter.in !== 'query' || schema.type !== 'array') continue
    parameter.schema = explode ? { ...schema.items } : { type: 'string' }
    if (Array.isArray(example)) parameter.example = explode ? example[0] : example.join(',')
  }
}
