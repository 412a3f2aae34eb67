/** Rows that are read at a time. */
const batchSize = 10_000

/** Reads the rows with ids above `after` in batches, in the order of the ids. */
export async function* readBatches<Row extends { id: number }>(
  after: number,
  read: (last: number, limit: number) => PromiseLike<Row[]>,
): AsyncGenerator<Row[]> {
  for (let rows = await read(after, batchSize); rows.length > 0; ) {
    yield rows
    rows = await read(rows.at(-1)?.id ?? after, batchSize)
  }
}
