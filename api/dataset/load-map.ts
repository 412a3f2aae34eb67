/**
 * The map of a load: which steps a change of the dataset has, in which order, and the temporary tables that they make.
 * Only the file that makes a table names it. The exceptions are the tables that the whole change shares: in these, a
 * step tells later steps what they have to update.
 *
 *   lines → records → rows with the ids of their terms      staging/: tables of the load, before the transaction
 *     → who is new or changed → users, repositories, commits    the steps of the load
 *     → what users use, when they were active                   the steps of every change, also of `forget` and `remove`
 *     → sets and counts, dates of uses → version → coverage
 *
 * This map is documentation: no code uses it. `test/dataset/load-map.test.ts` compares it with the code and with the
 * tables that loads make.
 */

/** A step. */
interface Step {
  /** The file that has it, seen from this folder. */
  file: string
  does: string
  /** The temporary tables that it makes, with their columns. */
  makes?: Readonly<Record<string, string>>
  /** The tables of the whole change that it writes or reads. */
  shares?: readonly string[]
}

/**
 * In order. A step that runs more than once is listed where it first runs, and removals run again where a mirror lacks
 * rows.
 */
export const loadMap: readonly Step[] = [
  {
    file: 'pending-change.ts',
    does: 'makes what the change shares',
    makes: {
      affected_users: 'user_id integer',
      affected_uses: 'user_id integer, repository_id integer, dependency_id integer',
      active_users: 'user_id integer',
      new_terms: 'id integer',
      set_changes: 'list list_name, id integer, lost integer[], gained integer[]',
      use_changes:
        'list list_name, id integer, lost integer[], terms integer[], begins bigint[], ends bigint[]',
    },
  },
  {
    file: 'mirror.ts',
    does: 'checks that a mirror lacks no more than was approved; after each kind is applied, removes what it lacks',
  },
  {
    file: 'missing-terms.ts',
    does: 'derives terms that an older version of devdata did not know',
    makes: { derived_items: 'id integer, term_ids integer[]' },
    shares: ['new_terms'],
  },
  {
    file: 'item-terms.ts',
    does: 'gives items other terms',
    makes: { renewed_terms: 'id integer, old_term_ids integer[], term_ids integer[]' },
    shares: ['set_changes'],
  },
  {
    file: 'set-derivation.ts',
    does: 'derives all sets again, if an older version of devdata has left some as they were',
    shares: ['set_changes'],
  },
  {
    file: 'user-rules.ts',
    does: 'classifies users again, if the rules have changed, or an older version has loaded',
    makes: {
      moved_attributes: 'user_id integer, name text, lost text, gained text, spelling text',
      moved_locations: 'id integer, lost text, gained text',
    },
    shares: ['affected_users', 'new_terms'],
  },
  {
    file: 'removal.ts',
    does: 'removes what the load names, or lacks',
    makes: {
      removed_users: 'id integer, forge_rest_id bigint, term_ids integer[]',
      removed_repositories: 'id integer, forge_rest_id bigint, term_ids integer[]',
      removed_keys: 'repository_id integer, commit_hash text',
    },
    shares: ['affected_users', 'set_changes', 'use_changes'],
  },
  {
    file: 'commit-changes.ts',
    does: 'leaves out commits of unknown repositories',
    makes: { unknown_urls: 'url_key text' },
  },
  {
    file: 'repository-changes.ts',
    does: 'keeps the records of repositories that clones do not describe better',
    makes: {
      known_repositories:
        'position bigint, id integer, full_name_key text, pushed_at bigint, term_ids integer[], members text, has_moved boolean',
    },
  },
  {
    file: 'text-terms.ts',
    does: 'adds new searchable texts, with their trigrams',
    makes: { changed_texts: 'id integer, key text' },
    shares: ['new_terms', 'set_changes'],
  },
  {
    file: 'load-terms.ts',
    does: 'adds new terms by their reserved ids',
    makes: {
      new_dependencies: 'id integer, name text, name_key text, file text, status text',
      renumbered_terms: 'staged_id integer, id integer',
    },
    shares: ['new_terms'],
  },
  {
    file: 'user-changes.ts',
    does: 'adds and updates users',
    makes: {
      changed_users:
        'position bigint, old_term_ids integer[], is_new boolean, has_other_kind boolean, has_other_login boolean, id integer',
    },
    shares: ['affected_users'],
  },
  {
    file: 'addresses.ts',
    does: 'replaces further addresses',
    makes: {
      changed_addresses: 'user_id integer, identities text[], document text, is_new boolean',
      missing_addresses: 'user_id integer',
    },
    shares: ['affected_users'],
  },
  {
    file: 'local-repositories.ts',
    does: 'merges rows that are the same repository',
    makes: {
      replaced_ids: 'local_id bigint, forge_rest_id bigint',
      superseded_records: 'position bigint, forge_rest_id bigint, kept_position bigint, kept_id bigint',
      stored_records: 'position bigint, local_id bigint, id integer, forge_rest_id bigint',
      taken_rows: 'id integer, local_id bigint, forge_rest_id bigint',
      merged_rows:
        'from_id integer, to_id integer, position bigint, dependencies text, dependencies_count integer, dependency_commits text, gives_dependencies boolean',
      moved_commits:
        'repository_id integer, commit_hash text, committer_date bigint, author_date bigint, author_identity text, coauthor_identities text[], members text',
      present_commits: 'repository_id integer, commit_hash text',
    },
  },
  {
    file: 'repository-changes.ts',
    does: 'adds and updates repositories, and what they declare',
    makes: {
      changed_repositories:
        'position bigint, is_new boolean, keeps_version boolean, old_term_ids integer[], has_dependencies boolean, has_other_name boolean, old_url text, url text, id integer',
    },
    shares: ['affected_users', 'affected_uses', 'set_changes', 'use_changes'],
  },
  {
    file: 'commit-changes.ts',
    does: 'adds and updates commits',
    makes: {
      named_repositories: 'url_key text, id integer',
      known_commits: 'position bigint, is_changed boolean',
      changed_commits:
        'position bigint, id integer, commit_hash text, committer_date bigint, author_date bigint, author_identity text, coauthor_identities text[], is_new boolean, is_growing boolean',
      grown_repositories: 'id integer',
    },
  },
  {
    file: 'contributions.ts',
    does: 'updates who wrote commits, and when',
    makes: {
      authors:
        'repository_id integer, identity text, first_date bigint, last_date bigint, excludes_nothing boolean, is_new boolean, old_first_date bigint, old_last_date bigint, has_other_dates boolean',
    },
    shares: ['affected_users', 'affected_uses', 'active_users', 'set_changes'],
  },
  {
    file: 'changed-uses.ts',
    does: 'computes what affected users use now, and how that has changed',
    makes: { compared_users: 'user_id integer, repositories integer[], dependencies integer[]' },
    shares: ['affected_users', 'affected_uses'],
  },
  {
    file: 'user-dependencies.ts',
    does: 'updates what affected users use',
    shares: ['set_changes', 'use_changes'],
  },
  {
    file: 'activity.ts',
    does: 'updates when affected and active users last wrote a commit',
    makes: {
      changed_activity:
        'user_id integer, old_term_id integer, last_date bigint, day bigint, is_later boolean',
    },
    shares: ['affected_users', 'active_users'],
  },
  {
    file: 'dataset-change.ts',
    does: 'gives the dataset its version, merges the changes into the stored sets and their numbers of ids, and removes terms that nothing has',
    shares: ['new_terms', 'set_changes'],
  },
  {
    file: '../sets/term-slices.ts',
    does: 'slices the changes by term if there are many, before they are merged into sets, and later into dates',
    makes: {
      term_slices:
        'list list_name, block integer, range integer, first integer, last integer, size integer, bytes bytea',
    },
  },
  {
    file: 'use-dates.ts',
    does: 'applies the dates of uses; before, has users get them whom an older version gave none',
    shares: ['affected_users', 'use_changes'],
  },
  { file: 'kept-changes.ts', does: 'deletes the versions and removals that clients can no longer ask for' },
  { file: 'coverage-summary.ts', does: 'sums up the dataset for the coverage page' },
  { file: 'loads.ts', does: 'notes the load, and its notice' },
]
