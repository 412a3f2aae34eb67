/** Rows that are read at a time. */
const batchSize = 10_000

/** Reads rows in batches, in the order of their ids, which are above 0. `read` reads those above `last`. */
export async function* readBatches<Row extends { id: number }>(
  read: (last: number, limit: number) => PromiseLike<Row[]>,
): AsyncGenerator<Row[]> {
  for (let rows = await read(0, batchSize); rows.length > 0; ) {
    yield rows
    rows = await read(rows.at(-1)?.id ?? 0, batchSize)
  }
}
