-- Compatible since: 1
--
-- The texts in the field `company` of users, as `locations` has those in `location`. A load of an older version doesn't change them.
-- Then the filter `company` waits until they and their sets are derived again (api/dataset/missing-terms.ts).
create table companies (
  id integer primary key default nextval('term_ids'),
  company text not null, -- as the first user of several has it
  company_key text not null, -- what it is compared by
  users_count integer not null default 0,
  users_on_shelf boolean not null default true -- whether its set shares a row: see sets
);
create unique index on companies (md5(company_key)); -- a company may be longer than an index entry
create index on companies (users_count) where users_count >= 3; -- those that clients may find

-- The terms of trigrams have companies, too.
alter type list_name add value 'companies';
