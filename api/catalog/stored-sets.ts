/**
 * Stored sets, as they are read from the database.
 *
 * @module
 */
import { readInteger } from '../database/copy.ts'
import type { SetPart } from './set-encoding.ts'

/** The term whose sets have every user and every repository. */
export const allTerm = 0

/** The columns of the table `sets` that `readPart` reads. */
export const partColumns = 'width, part, cardinality, bytes'

/** Reads a part from a row of `copyRows`. */
export function readPart([width, part, cardinality, bytes]: readonly Buffer[]): SetPart {
  return {
    width: readInteger(width),
    part: readInteger(part),
    cardinality: readInteger(cardinality),
    bytes: bytes ?? new Uint8Array(),
  }
}

/** Reads ids from `string_agg(int4send(id), '')`. */
export function readIds(bytes: Buffer | undefined): Uint32Array {
  const ids = new Uint32Array((bytes?.length ?? 0) / 4)
  for (let index = 0; index < ids.length; index++) ids[index] = bytes?.readUInt32BE(index * 4) ?? 0
  return ids
}
