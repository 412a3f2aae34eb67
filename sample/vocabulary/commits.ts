/** The things that commits change. */
export const subjects: readonly string[] = `
  parser router cache login session config pagination header footer sidebar upload download retries timeouts logging
  metrics schema migration query index tests fixtures docs README changelog types errors validation webhooks worker
  queue scheduler theme keyboard search export import`
  .trim()
  .split(/\s+/)

/** First lines of commit messages; `{subject}` and `{other}` are two of the subjects. */
export const summaries: readonly string[] = [
  'fix: {subject} when {other} is empty',
  'feat: {subject} for {other}',
  'feat({subject}): support {other}',
  'fix({subject}): do not lose {other}',
  'chore: tidy up {subject}',
  'refactor: move {subject} out of {other}',
  'docs: explain {subject}',
  'test: cover {subject} and {other}',
  'perf: make {subject} twice as fast',
  'Fix typo in {subject}',
  'Update {subject}',
  'Add {subject}',
  'Remove unused {subject}',
  'Rename {subject} to {other}',
  'WIP {subject}',
  'wip',
  '🐛 Fix {subject}',
  '✨ Add {subject} to {other}',
  '♻️ Rework {subject}',
  '🚀 Ship the new {subject}',
  '{subject}を修正',
  'Corrige {subject}',
  'Behebt einen Fehler in {subject}',
  'Revert "Add {subject}"',
]

/** Bodies that some commit messages have below the first line. */
export const bodies: readonly string[] = [
  'The old code read the whole of it into memory, which was fine until it was not.',
  '- handles the empty case\n- adds a test\n- drops the workaround',
  'Reported by a user on a slow connection.\n\nCloses #{number}',
  'Fixes #{number}',
  'See the discussion in #{number} for why the obvious way does not work:\n\n    if (value == null) return\n\ncatches more than it should.',
]

/** Authors whom no user of the sample is. */
export const strangers: readonly string[] = [
  'root@build-7.example',
  'dev@laptop.example',
  'ci@example.net',
  'unknown@example.org',
  'J.Doe@old-employer.example',
  'patch+list@example.com',
  '4294967290+ghost@users.noreply.forge.example',
]
