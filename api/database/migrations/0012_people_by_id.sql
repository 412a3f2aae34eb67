-- Compatible since: 1
--
-- Whether the identity is the forge's id of an account. If a person's id is known, another account with their login isn't theirs.
-- of_hash is also true for no-reply addresses that only a deletion list has.
alter table forgotten_identities add is_forge_id boolean not null default false;
