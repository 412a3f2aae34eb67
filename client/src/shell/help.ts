/** What `devdata-client --help` prints. */
import { filterHelp } from './filters.ts'

/** The text. */
export const helpText = `Usage: devdata-client COMMAND [OPTION …]

Commands:
  users                 read users
  repos                 read repositories with their dependencies
  user LOGIN            read one user
  repo OWNER/NAME       read one repository with its dependencies
  commits OWNER/NAME    read the commits of a repository, newest first
  dependencies-of OWNER/NAME
                        read the dependencies of a repository
  blame OWNER/NAME      read which commits added and removed them
  quote users|repos     what the list would cost; free
  count users|repos     how many items of the list have each value of --by, such as country or language; free
  dependencies TEXT     names of dependencies that contain the text, the most used ones first, of a --file if you like; free
  locations TEXT        locations that contain the text, the most frequent ones first; free
  companies TEXT        the same for companies
  history NAME          how many started and stopped using the dependency, by month; of one --file if you like; free
  credits               balance of the key; free
  usage                 what the key was charged; free
  watch users|repos     what is new in the list since the last run with the same --state; each item comes once, ever
  mirror FOLDER         copy everything to a folder; run it again to bring the copy up to date

Filters (users, repos, quote, count, watch):
${filterHelp}  --no-dependencies     repositories without their dependencies, at the same price

Values (count):
  --by FIELD            of users: country, type or dependency; of repos: language, license, fork, archived or dependency

Versions (watch):
  --since VERSION       begin at this version of the dataset, in place of everything that the filter finds now

Months (history):
  --since TIME, --until TIME

Names (users, repos):
  --names FILE          look up the logins or full names in this file, one a line, in place of a filter; - is standard input

Filters (usage):
  --day DATE            only this day, such as 2026-01-31 (UTC)
  --by-day              sums by day and endpoint

Reading:
  --budget CREDITS      stop before the command costs more, earlier runs with the same state included; of watch, each run
  --state FILE          keep the state in this file, and continue from it if a run was stopped
  --output FILE         write to this file. With --state, each item is in it once, even after a crash
  --format FORMAT       ndjson (default), csv or table
  --bom                 CSV that Excel opens with the right letters: it begins with a byte order mark
  --as-is               CSV for programs: without the apostrophe before texts that a spreadsheet would run as formulas
  --quiet               no progress on standard error

Service and key:
  --url URL             base URL of the API; default: DEVDATA_URL
  --key-file FILE       file that has the API key; default: DEVDATA_API_KEY has the key

  --help, --version

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 stopped by the budget, 4 not enough credits, 5 key refused,
6 service unreachable or busy, 130 and 143 stopped by a signal, 141 the program that reads the output has ended.
After 3, 4, 6, 130 and 143, the same command with --state continues, and within an hour pays for nothing twice.
`
