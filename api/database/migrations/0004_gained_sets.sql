-- Compatible since: 1
--
-- changed_since with filters needs to know what items gained that filters can ask, also where the items themselves didn't change: a
-- user who begins to use a dependency keeps their document. Versions that were made before, or by an older devdata, have no such
-- sets, so changes since an earlier version are known only without filters.
alter table dataset_versions
  add column gained_term_id integer, -- its sets have what gained something, without what has the version itself
  add column lost_term_id integer; -- its set has users who stopped using a dependency, for filters such as without_dependency_names
