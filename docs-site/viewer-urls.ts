/**
 * URLs of the viewer's parts, relative to its page. `viewer-scalar.ts` tells Scalar to name its parts like this, so
 * that the first view and the reference can link to them.
 */

/** Names a tag in URLs. */
export const writeTagSlug = (tag: string): string => tag.toLowerCase()

/** The URL of a tag. */
export const writeTagUrl = (tag: string): string => `#tag/${writeTagSlug(tag)}`

/** The URL of an operation. */
export const writeOperationUrl = (tag: string, operationId: string): string =>
  `${writeTagUrl(tag)}/${operationId}`
