-- Compatible since: 1
--
-- Filters that 0.1.0 doesn't have ask for attributes whose terms it doesn't derive. For each such attribute, this is the version
-- of the dataset in which all items have its terms; none: version 0, which has no items. Each load moves the versions of the
-- attributes that it knows. So a load of an older version leaves those that it doesn't know behind (api/catalog/derived-terms.ts).
alter table dataset add column derived_terms jsonb not null default '{}';
