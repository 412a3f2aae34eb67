#!/usr/bin/env node
/**
 * The program: `devdata-mcp --help`. Standard output is the protocol's; everything else goes to standard error.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Budget } from './budget.ts'
import { createServer } from './server.ts'
import { helpText, parseArguments, readSettings, SettingsError } from './settings.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

try {
  const { help, version: isVersion, 'key-file': keyFile } = parseArguments(process.argv.slice(2))
  if (help || isVersion) {
    process.stdout.write(help ? helpText : `${version}\n`)
  } else {
    const { connection, budget: total } = readSettings(keyFile)
    const budget = new Budget(total)
    serveStdio(() => createServer({ connection, budget, version }), {
      onerror: (error) => process.stderr.write(`devdata-mcp: ${error.message}\n`),
    })
  }
} catch (error) {
  if (!(error instanceof SettingsError)) throw error
  process.stderr.write(`devdata-mcp: ${error.message}; see devdata-mcp --help\n`)
  process.exitCode = 2
}
