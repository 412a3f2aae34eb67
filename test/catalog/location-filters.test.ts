import { expect, test } from 'vitest'
import { readFirstItems } from '../support/catalog.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('location', (kind) => {
  const service = useService(kind)

  /** The different locations of the users that a filter finds. */
  async function findPlaces(location: string): Promise<string[]> {
    const { data } = await readFirstItems(service, '/users', { location })
    return [...new Set(data.map((user) => String(user.location)))].sort()
  }

  test.for<[rule: string, locations: string[], places: string[]]>([
    ['matches a substring', ['ondo'], ['London', 'London, UK']],
    ['ignores case', ['KRAKÓW', 'kraków', 'kRAKÓw'], ['Kraków, Poland']],
    ['ignores accents', ['krakow', 'KRÀKÖW', 'kra\u0301ko\u0301w'], ['Kraków, Poland']],
    ['keeps letters with a stroke apart', ['krakøw'], []],
    ['ignores case beyond ASCII', ['москва', 'МОСКВА', 'мОСКВа'], ['МОСКВА, Россия', 'Москва'].sort()],
    [
      'treats composed, decomposed and plain letters as equal',
      ['zürich', 'ZÜRICH', 'zu\u0308rich', 'ZU\u0308RICH', 'zurich', 'ZURICH', 'zúrich'],
      ['Winterthur (Kanton Zürich)', 'Zu\u0308rich, CH', 'ZÜRICH', 'Zürich', 'Zurich, Switzerland'].sort(),
    ],
    [
      'treats I, İ and i as equal',
      ['istanbul', 'İSTANBUL', 'İstanbul', 'ISTANBUL', 'i\u0307stanbul'],
      ['Istanbul, Turkey', 'istanbul', 'İSTANBUL, Türkiye', 'İstanbul'].sort(),
    ],
    ['finds a dotless I', ['ığdır', 'IĞDIR', 'Iğdır'], ['Iğdır, Türkiye']],
    [
      'treats ß and SS as equal',
      ['straße', 'STRASSE', 'strasse', 'STRAẞE'],
      ['Straße der Beispiele 17, Berlin'],
    ],
    [
      'treats all sigmas as equal',
      ['πειραιάς', 'ΠΕΙΡΑΙΆΣ', 'πειραιάσ', 'ΠΕΙΡΑΙΑΣ', 'πειραιας'],
      ['ΠΕΙΡΑΙΆΣ', 'Πειραιάς'].sort(),
    ],
    ['matches scripts without case', ['東京'], ['東京', '東京 / 京都', '東京都'].sort()],
    ['matches scripts from right to left', ['القاهرة'], ['القاهرة، مصر']],
    ['matches characters beyond the basic plane', ['🌍'], ['Earth 🌍']],
    ['matches a percent sign literally', ['%'], ['100 % online', '100% remote', '50%_50 office'].sort()],
    ['matches a percent sign literally', ['100%'], ['100% remote']],
    ['matches a percent sign literally', ['1%e'], []],
    ['matches an underscore literally', ['_'], ['50%_50 office', 'under_score City'].sort()],
    ['matches an underscore literally', ['under_score'], ['under_score City']],
    ['matches an underscore literally', ['under_'], ['under_score City']],
    ['matches a backslash literally', ['\\'], ['C:\\home', '\\\\fileserver\\share'].sort()],
    ['matches a backslash literally', ['\\\\'], ['\\\\fileserver\\share']],
    ['matches a backslash literally', ['\\%', '\\_', 'c:\\\\home'], []],
    ['matches quotes literally', ["o'f"], ["O'Fallon, MO"]],
    ['matches quotes literally', ['"the'], ['"the cloud"']],
    ['matches a comma literally', ['porto,'], ['Porto,Portugal']],
    ['matches & and + literally', ['& beyond + more'], ['Berlin & beyond + more']],
    ['does not match users without a location', ['null'], ['null']],
    ['ignores white space at its ends', ['  paris ', '\tparis\n', '\u00a0paris\u3000'], ['Paris, France']],
    ['keeps white space inside', ['mexico  city'], []],
    ['keeps white space inside', ['mexico city'], ['Mexico City']],
    ['finds places with white space at their ends', ['Lisbon, Portugal'], ['  Lisbon, Portugal ']],
  ])('%s: %j finds users in %j', async ([, locations, places]) => {
    for (const location of locations)
      expect([location, await findPlaces(location)]).toEqual([location, places])
  })

  test.for(['', ' ', '\t\n', '\u3000'])(
    '%j is 400, and free: nobody pays for a page of everyone',
    async (location) => {
      const { secret, id } = await service.createKey({ credits: 100 })
      for (const locations of [[location], ['', location]]) {
        const query = new URLSearchParams(locations.map((each) => ['location', each]))
        const response = await service.request(`/users?${query}`, { key: secret })
        expect([response.status, response.json()]).toEqual([
          400,
          { error: 'Invalid location: is empty; leave the parameter out' },
        ])
      }
      expect((await service.readLedger(id)).charged).toBe(0)
    },
  )

  test('may be given 20 times, empty ones aside; more is 400, and free', async () => {
    const places = Array.from({ length: 20 }, (_, index) => `no place ${index}`)
    expect((await readFirstItems(service, '/users', { location: [...places, '', ' '] })).total).toBe(0)
    const { secret, id } = await service.createKey({ credits: 10 })
    const query = new URLSearchParams([...places, 'no place 0'].map((place) => ['location', place]))
    const response = await service.request(`/users?${query}`, { key: secret })
    expect([response.status, response.json()]).toEqual([
      400,
      { error: 'Invalid location: given more than 20 times' },
    ])
    expect((await service.readLedger(id)).charged).toBe(0)
  })

  test('has at most 255 characters, white space at its ends aside', async () => {
    const { secret: key } = await service.createKey()
    for (const character of ['a', 'é', '東', '🌍']) {
      const longest = character.repeat(255)
      expect((await readFirstItems(service, '/users', { location: `  ${longest} ` })).total).toBe(0)
      const query = new URLSearchParams([
        ['location', 'paris'],
        ['location', longest + character],
      ])
      const response = await service.request(`/users?${query}`, { key })
      expect([response.status, response.json()]).toEqual([
        400,
        { error: 'Invalid location: longer than 255 characters' },
      ])
    }
  })
})
