/**
 * Packs the clients into a folder, for the build of the docs: `node docs-site/clients.ts FOLDER`. It is a program of
 * its own, because Deno gives the build fewer permissions than a bundler needs.
 */
import { packClients } from '../client/build.ts'

const [, , directory] = process.argv
if (directory === undefined) throw new Error('Name the folder')
await packClients(directory)
