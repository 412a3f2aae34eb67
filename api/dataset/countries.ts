/**
 * The countries of locations, which are attributes of the users there.
 *
 * @module
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { findCountry } from '../names/places/country.ts'
import { readBatches } from './read-batches.ts'

/**
 * Finds the countries of the locations in a table, and stores them there. Adds the attributes `country` that are new.
 * `moved_locations` gets the locations whose country is another one now.
 */
export async function findCountries(
  tx: SqlOrTransaction,
  table: 'locations' | 'new_locations',
): Promise<void> {
  await tx`
    create temporary table moved_locations (id integer primary key, lost text, gained text) on commit drop`
  const batches = readBatches<{ id: number; location: string; country: string | null }>(
    (last, limit) => tx`
      select id, location, country from ${tx(table)} where id > ${last}::integer order by id limit ${limit}`,
  )
  for await (const locations of batches) {
    const moved = locations.flatMap(({ id, location, country }) => {
      const found = findCountry(location) ?? null
      return found === country ? [] : [{ id, lost: country, gained: found }]
    })
    await tx`
      insert into moved_locations
      select * from json_populate_recordset(null::moved_locations, ${JSON.stringify(moved)}::text::json)`
  }
  await tx`analyze moved_locations`
  await tx`update ${tx(table)} l set country = gained from moved_locations m where l.id = m.id`
  await tx`
    insert into attributes (name, value)
    select distinct 'country', gained from moved_locations where gained is not null and not exists (
      select from attributes where name = 'country' and value = gained
    )`
}
