/**
 * Reads the query of the `next` link. The rest of the link is not used: behind a proxy it may be that of another host,
 * which must not get the key.
 */
export function readNext(link: string | null): string | null {
  return /<[^>?]*(\?[^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? null
}
