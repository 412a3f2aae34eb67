import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from './support/program.ts'

test('a bench that is told to stop leaves none of its programs behind', async () => {
  const listening = `
    const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
      console.log('listens on ' + server.address().port)
    })`
  const module = JSON.stringify(join(import.meta.dirname, 'support/program.ts'))
  const bench = `
    import { exitOnSignals, startProgram } from ${module}
    exitOnSignals()
    const { announced } = await startProgram([process.execPath, '-e', ${JSON.stringify(listening)}], {
      directory: '.', environment: {}, announcement: /listens on (\\d+)/,
    })
    console.log('started one on ' + announced)`
  const { announced, stop } = await startProgram([process.execPath, '--input-type=module', '-e', bench], {
    directory: tmpdir(),
    environment: {},
    announcement: /started one on (\d+)/,
  })
  const reach = () =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(announced), '127.0.0.1')
      socket.once('connect', () => resolve('is there')).once('error', () => resolve('is gone'))
      socket.once('connect', () => socket.destroy())
    })
  expect(await reach()).toBe('is there')
  expect(await stop()).toBe(143) // as shells have it for SIGTERM
  await expect.poll(reach).toBe('is gone')
})
