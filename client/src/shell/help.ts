/**
 * What `devdata-client --help` prints.
 *
 * @module
 */
export const helpText = `Usage: devdata-client COMMAND [OPTION …]

Commands:
  users                 read users
  repos                 read repositories with their dependencies
  quote users|repos     what reading them would cost; free
  credits               what is left on the key; free
  usage                 what the key was charged; free
  mirror FOLDER         keep a copy of everything in a folder: run it again to bring the copy up to date

Which users and repositories (users, repos, quote):
  --location TEXT       users whose location contains it; may be repeated
  --dependency NAME     those that use it; may be repeated
  --file NAME           those that declare a dependency in it, such as package.json; may be repeated
  --status STATUS       only dependencies that are active, or removed
  --owner LOGIN         repositories of this login
  --no-dependencies     repositories without their dependencies, at the same price

Which charges (usage):
  --day DATE            only this day, such as 2026-01-31 (UTC)
  --by-day              sums by day and endpoint

How:
  --budget CREDITS      stop before the whole command costs more
  --state FILE          go on from there if an earlier command was stopped; keeps the state there
  --output FILE         write to this file. With --state, each item is written once, even after a crash
  --format FORMAT       ndjson (default), csv or table
  --quiet               no progress on standard error

Service and key:
  --url URL             base URL of the API; default: DEVDATA_URL
  --key-file FILE       file that has the API key; default: DEVDATA_API_KEY has the key

  --help, --version

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 stopped by the budget, 4 not enough credits, 5 key refused,
6 service unreachable or busy, 130 and 143 stopped by a signal. After 3, 4, 6, 130 and 143, the same command with
--state goes on where it was, and pays for nothing twice within 24 hours.
`
