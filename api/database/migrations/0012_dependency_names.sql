-- name_key follows the rule of spelling of the manifest's ecosystem (api/catalog/dependency-name.ts).
update dependencies set name_key = 'python:' || regexp_replace(name_key, '[-_.]+', '-', 'g')
where name <> '' and file ~ '^(pyproject\.toml|setup\.py|setup\.cfg|Pipfile|.*\.txt)$';
update dependencies set name_key = 'cargo:' || replace(name_key, '_', '-') where name <> '' and file = 'Cargo.toml';

-- What filters find has changed: lists of the version before are not made for it.
update dataset set version = version + 1, updated_at = now() where exists (
  select from dependencies where name_key like 'python:%' or name_key like 'cargo:%'
);
