/**
 * The journal of an import: the forge's responses, so that an import that was killed continues. A journal is a
 * file beside the clones, readable by its owner alone, and is deleted with the end of the import.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { refuseWriting } from '../../errors.ts'

/** An older journal is not used. Shorter than a day: each night's import asks again. */
const maxAgeMs = 12 * 3_600_000
const fileName = 'import.journal'

/** What an import has done so far. */
export interface Journal {
  /** When the import began that was interrupted, and that this one continues. Undefined: it continues none. */
  readonly resumedFrom: Date | undefined
  /** Returns what is noted under a key, or else does it and notes the result, which must be JSON. */
  once<Result>(key: unknown, work: () => Promise<Result>): Promise<Result>
  /** Ends the import: deletes the journal. */
  finish(): Promise<void>
  /** Closes the journal. It stays for the next start. */
  close(): Promise<void>
}

/** Notes nothing. */
export const noJournal: Journal = {
  resumedFrom: undefined,
  once: (_, work) => work(),
  finish: async () => {},
  close: async () => {},
}

/** Opens the journal of a folder. One of another import (`purpose`), or an old one, is replaced. */
export async function openJournal(directory: string, purpose: unknown): Promise<Journal> {
  const path = join(directory, fileName)
  const header = hash(purpose)
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  const [first] = lines.splice(0, 1)
  const begun = parse<{ import: string; at: number }>(first)
  const isSame = begun?.import === header && Date.now() - begun.at < maxAgeMs
  const noted = new Map<string, unknown>()
  if (isSame) {
    for (const line of lines) {
      const note = parse<{ key: string; result: unknown }>(line) // the last one may be incomplete
      if (note !== undefined) noted.set(note.key, note.result)
    }
  }
  const resumedFrom = isSame && noted.size > 0 ? new Date(begun.at) : undefined
  const refuse = refuseWriting(path)
  const file: FileHandle = await open(path, isSame ? 'a' : 'w', 0o600).catch(refuse)
  // Begins a line of its own, if the last one is incomplete.
  await file
    .appendFile(isSame ? '\n' : `${JSON.stringify({ import: header, at: Date.now() })}\n`)
    .catch(refuse)
  return {
    resumedFrom,
    async once<Result>(key: unknown, work: () => Promise<Result>): Promise<Result> {
      const hashed = hash(key)
      if (noted.has(hashed)) return noted.get(hashed) as Result
      const result = await work()
      noted.set(hashed, result)
      await file.appendFile(`${JSON.stringify({ key: hashed, result: result ?? null })}\n`).catch(refuse)
      return result
    },
    async finish() {
      await rm(path, { force: true })
    },
    close: () => file.close(),
  }
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

function parse<Value>(line: string | undefined): Value | undefined {
  try {
    return line ? JSON.parse(line) : undefined
  } catch {
    return undefined
  }
}
