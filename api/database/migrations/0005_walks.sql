-- A walk through a filtered list goes on behind the id that it has come to (api/catalog/listing.ts).
create index on listing_chunks (listing_id, (ids[1]));

-- A load makes the listings that were asked for last anew, for the version that it publishes: so it has to know of what.
delete from listings;
alter table listings
  add list text not null check (list in ('users', 'repositories')),
  add filter json not null;
