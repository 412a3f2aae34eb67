-- Compatible since: 1
--
-- Sets say what a version has changed. Without these indexes, and with room in its page, an updated row stays in the page, and
-- no index gets an entry for it.
drop index users_version_idx;
drop index repositories_version_idx;
alter table users set (fillfactor = 90);
alter table repository_dependencies set (fillfactor = 95);
