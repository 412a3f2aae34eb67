/** What messages don't show: API keys. */

/** Replaces the key, and whatever has the form of one, in a message. */
export function hideKeys(message: string, apiKey?: string): string {
  const text = apiKey ? message.replaceAll(apiKey, '…') : message
  return text.replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, '…')
}
