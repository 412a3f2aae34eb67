#!/usr/bin/env node
// The program of the packed service: `devdata start` runs the service, everything else is a command. Node 14.8 or later
// can parse it, so an old one prints a message.
const needed = 24
if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(`devdata needs Node ${needed} or later, and this is ${process.version}.`)
  process.exit(1)
}

if (process.argv[2] === 'start') {
  const { fileURLToPath } = await import('node:url')
  // Responses are buffers outside of V8's heap. With the first two options, V8 waits for more of them before it marks its
  // heap: a page takes up to a quarter less processor time, and the service 90 to 130 MiB more memory. With the third, V8
  // frees short-lived buffers sooner. The service takes the place of this process, so that signals reach it.
  const options = [
    '--external-memory-accounted-in-global-limit',
    '--initial-old-space-size=64',
    '--max-semi-space-size=8',
  ]
  const program = fileURLToPath(new URL('../api/node.js', import.meta.url))
  process.removeAllListeners('warning') // that execve is experimental
  process.execve(process.execPath, [process.execPath, ...options, program, ...process.argv.slice(3)])
} else {
  // A load makes much short-lived garbage beside little that stays. V8 would let its heap grow to four times of that: a load of
  // 100,000 users took 500 MiB, and takes 350 with this.
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--heap-growing-percent=50')
  await import('../api/cli/main.js')
}
