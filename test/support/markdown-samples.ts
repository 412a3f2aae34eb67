/** The samples of a page. */

/** Returns the code of a page's samples in a language. */
export function listSamples(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code]) =>
    name === language ? (code ?? '') : [],
  )
}
