-- Compatible since: 1
--
-- Whether the identity is the forge's id of an account. Somebody else with the login of a person whose id is known is somebody else.
alter table forgotten_identities add is_forge_id boolean not null default false;
