--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: grant_decision; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.grant_decision AS (
	outcome text,
	granted bigint
);


--
-- Name: list_name; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.list_name AS ENUM (
    'users',
    'repositories',
    'locations'
);


--
-- Name: settle_request; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.settle_request AS (
	place integer,
	key_id integer,
	secret_hash bytea,
	version bigint,
	is_counted boolean,
	price bigint,
	max_credits bigint,
	items integer,
	request_id uuid,
	path text,
	endpoint text,
	idempotency_key uuid,
	request uuid
);


--
-- Name: settlement; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.settlement AS (
	place integer,
	outcome text,
	due bigint,
	charged bigint,
	balance bigint,
	rate_limit_requests integer,
	rate_limit_seconds integer,
	used integer,
	reset_seconds numeric
);


--
-- Name: analyze_table(regclass); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.analyze_table(name regclass) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  execute format('analyze %s', name);
end
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id integer NOT NULL,
    name text,
    role text NOT NULL,
    scopes text[] NOT NULL,
    rate_limit_requests integer,
    rate_limit_seconds integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    deleted_at timestamp with time zone,
    last_used_at timestamp with time zone,
    noted_position bigint DEFAULT 0 NOT NULL,
    CONSTRAINT api_keys_check CHECK (((scopes <@ ARRAY['users:read'::text, 'repos:read'::text]) OR ((role = 'admin'::text) AND (scopes = ARRAY['metrics:read'::text])))),
    CONSTRAINT api_keys_check1 CHECK (((rate_limit_requests IS NULL) = (rate_limit_seconds IS NULL))),
    CONSTRAINT api_keys_rate_limit_requests_check CHECK ((rate_limit_requests > 0)),
    CONSTRAINT api_keys_rate_limit_seconds_check CHECK ((rate_limit_seconds > 0)),
    CONSTRAINT api_keys_role_check CHECK ((role = ANY (ARRAY['user'::text, 'admin'::text])))
)
WITH (fillfactor='90');


--
-- Name: current_window(public.api_keys, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.current_window(key public.api_keys, moment timestamp with time zone) RETURNS TABLE(window_row tid, started_at timestamp with time zone, used integer)
    LANGUAGE sql STABLE
    AS $$
  select ctid, case when is_open then started_at else moment end, case when is_open then requests else 0 end
  from (
    select *, ctid, started_at <= moment
      and started_at + make_interval(secs => key.rate_limit_seconds) > moment as is_open
    from rate_limit_windows
    where key.rate_limit_requests is not null and api_key_id = key.id
    order by api_key_id desc, started_at desc, requests desc limit 1
  ) newest
$$;


--
-- Name: drop_staging_table(oid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.drop_staging_table(id oid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  name text := (
    select c.oid::regclass from pg_class c
    where c.oid = drop_staging_table.id and relkind = 'r' and relpersistence = 'u' and relname ~ '^import_[a-z]+_\d+$'
  );
begin
  if name is null then return false; end if;
  execute format('drop table %s', name);
  return true;
exception
  when insufficient_privilege then return false;
end
$_$;


--
-- Name: grant_credits(integer, bigint, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.grant_credits(key_id integer, amount bigint, grant_reference text DEFAULT NULL::text) RETURNS public.grant_decision
    LANGUAGE plpgsql
    AS $$
declare
  earlier bigint; -- credits
  newest ledger;
  next bigint;
begin
  perform from api_keys where id = key_id and deleted_at is null for no key update;
  if not found then return row('unknown_key', null)::grant_decision; end if;
  select granted into earlier from grant_references where api_key_id = key_id and reference = grant_reference;
  if found then
    return row(case earlier when amount then 'repeated' else 'conflict' end, earlier)::grant_decision;
  end if;
  select * into newest from ledger where api_key_id = key_id order by position desc limit 1;
  if coalesce(newest.balance, 0) + amount not between 0 and 9007199254740991 then
    return row('out_of_range', null)::grant_decision;
  end if;
  next := coalesce(newest.position, 0) + 1;
  insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, endpoint)
  values (key_id, next, greatest(newest.created_at, clock_timestamp()), 'grant', amount, 0,
    coalesce(newest.balance, 0) + amount, '');
  if grant_reference is not null then
    insert into grant_references values (key_id, grant_reference, next, amount);
  end if;
  if next % 1000 = 0 then perform sum_up_days(key_id); end if;
  return row('granted', amount)::grant_decision;
end
$$;


--
-- Name: load_keys(public.settle_request[], integer[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.load_keys(all_requests public.settle_request[], locked_ids integer[], moment timestamp with time zone) RETURNS TABLE(id integer, is_locked boolean, is_charged boolean, is_use_noted boolean, valid_hashes bytea[], rate_limit_requests integer, rate_limit_seconds integer, window_row tid, window_started_at timestamp with time zone, used integer, reset_seconds numeric, balance bigint, last_position bigint, entry_at timestamp with time zone, requests public.settle_request[])
    LANGUAGE sql STABLE
    AS $$
  select k.id, k.id in (select unnest(locked_ids)), role = 'user', last_used_at > moment - interval '1 minute' is true,
    array(
      select hash from api_key_secrets s
      where s.hash = any(hashes) and s.api_key_id = k.id and (s.expires_at is null or s.expires_at > moment)
        and deleted_at is null and revoked_at is null and (k.expires_at is null or k.expires_at > moment)
    ),
    rate_limit_requests, rate_limit_seconds, window_row, coalesce(w.started_at, moment), coalesce(w.used, 0),
    coalesce(extract(epoch from w.started_at - moment), 0) + rate_limit_seconds,
    coalesce(l.balance, 0), coalesce(l.position, 0), greatest(l.created_at, moment), own_requests
  from (
    select key_id, array_agg(r order by place) as own_requests, array_agg(distinct secret_hash) as hashes
    from unnest(all_requests) r group by key_id
  ) r
    left join api_keys k on k.id = r.key_id
    left join lateral current_window(k, moment) w on true
    left join lateral (
      select position, balance, created_at from ledger where api_key_id = k.id order by position desc limit 1
    ) l on true
$$;


--
-- Name: lock_keys(public.settle_request[], boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_keys(requests public.settle_request[], wait_for_locks boolean) RETURNS integer[]
    LANGUAGE plpgsql
    AS $$
begin
  if wait_for_locks then
    return array(
      select id from api_keys where id in (select key_id from unnest(requests)) order by id for no key update);
  end if;
  return array(
    select id from api_keys
    where id in (select key_id from unnest(requests)) and (
      rate_limit_requests is not null or last_used_at > now() - interval '1 minute' is not true
      or role = 'user' and id in (select key_id from unnest(requests) where coalesce(price, 1) > 0 or idempotency_key is not null)
    )
    order by id for no key update skip locked);
end
$$;


--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    api_key_id integer NOT NULL,
    idempotency_key uuid NOT NULL,
    request uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    paid_version bigint NOT NULL,
    paid bigint NOT NULL
);


--
-- Name: payment_counts(public.idempotency_keys, timestamp with time zone, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payment_counts(payment public.idempotency_keys, moment timestamp with time zone, current_version bigint) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select greatest(moment - payment.created_at, payment.created_at - moment)
    < case when payment.paid_version = current_version then interval '24 hours' else interval '1 hour' end
$$;


--
-- Name: ledger_days; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ledger_days (
    api_key_id integer NOT NULL,
    day date NOT NULL,
    endpoint text NOT NULL,
    entries bigint NOT NULL,
    items bigint NOT NULL,
    cost bigint NOT NULL,
    first_position bigint NOT NULL,
    last_position bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: recent_days(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.recent_days(key_id integer) RETURNS SETOF public.ledger_days
    LANGUAGE sql STABLE
    AS $$
  select key_id, (created_at at time zone 'UTC')::date as day, endpoint, count(*), coalesce(sum(items), 0),
    sum(cost)::bigint, min(position), max(position)
  from ledger where api_key_id = key_id and position > summed_position(key_id)
  group by day, endpoint
$$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception '%', tg_argv[0];
end
$$;


--
-- Name: settle(json, boolean, bigint, integer[], integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle(requests json, wait_for_locks boolean, dataset_version bigint DEFAULT NULL::bigint, found_items integer[] DEFAULT '{}'::integer[], max_seconds integer DEFAULT NULL::integer) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '5s'
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  asked settle_request[] := array(select json_populate_recordset(null::settle_request, requests));
  locked integer[] := lock_keys(asked, wait_for_locks);
  moment timestamptz := clock_timestamp();
  key record; -- of load_keys, after the requests so far
  request settle_request;
  is_limited boolean;
  payment idempotency_keys; -- before, under the request's idempotency key
  due bigint;
  charged bigint;
  outcome text;
  settlements settlement[] := '{}';
  entries ledger[] := '{}';
  windows rate_limit_windows[] := '{}';
  old_windows tid[] := '{}';
  used_keys integer[] := '{}';
begin
  for key in select * from load_keys(asked, locked, moment) loop
    if key.is_locked and not key.is_use_noted then used_keys := used_keys || key.id; end if;

    foreach request in array key.requests loop
      request.price := coalesce(request.price, found_items[request.place]);
      continue when request.price is null;
      payment := null;
      if request.idempotency_key is not null then
        select * into payment from idempotency_keys p
        where api_key_id = key.id and idempotency_key = request.idempotency_key
          and payment_counts(p, moment, dataset_version);
      end if;
      is_limited := request.is_counted and key.rate_limit_requests is not null;
      due := case when key.is_charged then greatest(0, request.price - coalesce(payment.paid, 0)) else 0 end;
      outcome := case
        when request.version <> dataset_version then 'stale'
        when not key.is_locked and (
          is_limited or key.is_charged and (request.price > 0 or request.idempotency_key is not null)
        ) then 'locked'
        when request.secret_hash <> all(key.valid_hashes) then 'unusable'
        when is_limited and key.used >= key.rate_limit_requests then 'throttled'
        when payment.request <> request.request then 'conflict'
        when due > request.max_credits then 'over_max_credits'
        when due > key.balance then 'insufficient'
        when payment.paid is null then 'settled'
        else 'replayed'
      end;
      charged := case when outcome in ('settled', 'replayed') then due else 0 end;

      if is_limited and outcome not in ('stale', 'locked', 'unusable', 'throttled') then
        key.used := key.used + 1;
        windows := windows || row(key.id, key.window_started_at, key.used)::rate_limit_windows;
        old_windows := old_windows || key.window_row;
      end if;
      if charged > 0 then
        key.balance := key.balance - charged;
        key.last_position := key.last_position + 1;
        entries := entries || row(key.id, key.last_position, key.entry_at, 'charge', 0, charged, key.balance,
          coalesce(request.items, request.price), request.request_id, request.path, request.endpoint)::ledger;
        if request.idempotency_key is not null then -- its time and version stay those of the first payment
          insert into idempotency_keys values (key.id, request.idempotency_key, request.request,
            coalesce(payment.created_at, moment), coalesce(payment.paid_version, dataset_version),
            coalesce(payment.paid, 0) + charged)
          on conflict (api_key_id, idempotency_key) do update set request = excluded.request,
            created_at = excluded.created_at, paid_version = excluded.paid_version, paid = excluded.paid;
        end if;
      end if;
      settlements := settlements || row(request.place, outcome, due, charged, key.balance, key.rate_limit_requests,
        key.rate_limit_seconds, key.used, key.reset_seconds)::settlement;
    end loop;
  end loop;

  perform write_settlements(entries, windows, old_windows, used_keys, moment);
  -- Poolers may refuse a session's statement_timeout. The transaction begins with this statement.
  if clock_timestamp() > now() + make_interval(secs => max_seconds) then
    raise exception 'settling took longer than % seconds', max_seconds using errcode = 'query_canceled';
  end if;
  return array_to_json(settlements);
end
$$;


--
-- Name: sum_up_days(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.sum_up_days(key_id integer) RETURNS void
    LANGUAGE sql
    AS $$
  insert into ledger_days as d select * from recent_days(key_id)
  on conflict (api_key_id, day, endpoint) do update set entries = d.entries + excluded.entries,
    items = d.items + excluded.items, cost = d.cost + excluded.cost, last_position = excluded.last_position
$$;


--
-- Name: summed_position(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.summed_position(key_id integer) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  select coalesce(max(last_position), 0) from ledger_days
  where api_key_id = key_id and day = (select max(day) from ledger_days where api_key_id = key_id)
$$;


--
-- Name: sweep_idempotency_keys(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.sweep_idempotency_keys(max_keys integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  delete from idempotency_keys where (api_key_id, idempotency_key) in (
    select api_key_id, idempotency_key from idempotency_keys p
    where created_at <= coalesce(
        (select created_at from idempotency_keys order by created_at offset max_keys - 1 limit 1), 'infinity')
      and not payment_counts(p, now(), (select version from dataset))
    order by created_at limit max_keys
    for update skip locked
  )
$$;


--
-- Name: trigram_terms(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.trigram_terms(location_key text) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT ((((((((c.codes[place.place])::bigint * 1021) + c.codes[(place.place + 1)]) * 1021) + c.codes[(place.place + 2)]) % (1073741824)::bigint) + 1073741824))::integer AS int4 FROM (SELECT ARRAY(SELECT ascii(characters."character") AS ascii FROM unnest(string_to_array(trigram_terms.location_key, NULL::text)) WITH ORDINALITY characters("character", place) ORDER BY characters.place) AS codes OFFSET 0) c, LATERAL generate_series(1, (cardinality(c.codes) - 2)) place(place));


--
-- Name: usage_days(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.usage_days(key_id integer) RETURNS SETOF public.ledger_days
    LANGUAGE sql STABLE
    AS $$
  select key_id, day, endpoint, coalesce(d.entries, 0) + coalesce(r.entries, 0),
    coalesce(d.items, 0) + coalesce(r.items, 0), coalesce(d.cost, 0) + coalesce(r.cost, 0),
    least(d.first_position, r.first_position), greatest(d.last_position, r.last_position)
  from (select * from ledger_days where api_key_id = key_id) d full join recent_days(key_id) r using (day, endpoint)
$$;


--
-- Name: ledger; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ledger (
    api_key_id integer NOT NULL,
    "position" bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    granted bigint NOT NULL,
    cost bigint NOT NULL,
    balance bigint NOT NULL,
    items integer,
    request_id uuid,
    path text,
    endpoint text,
    CONSTRAINT ledger_balance_check CHECK ((balance >= 0)),
    CONSTRAINT ledger_check CHECK (((kind <> 'charge'::text) OR (granted = 0))),
    CONSTRAINT ledger_check1 CHECK (
CASE kind
    WHEN 'charge'::text THEN (cost > 0)
    WHEN 'grant'::text THEN (cost = 0)
    ELSE (cost >= 0)
END),
    CONSTRAINT ledger_kind_check CHECK ((kind = ANY (ARRAY['grant'::text, 'charge'::text, 'balance'::text])))
);


--
-- Name: rate_limit_windows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rate_limit_windows (
    api_key_id integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    requests integer NOT NULL
);


--
-- Name: write_settlements(public.ledger[], public.rate_limit_windows[], tid[], integer[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.write_settlements(entries public.ledger[], windows public.rate_limit_windows[], old_windows tid[], used_keys integer[], used_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if used_keys <> '{}' then
    update api_keys k set last_used_at = used_at, noted_position = b.last_position
    from balances b where k.id = any(used_keys) and b.api_key_id = k.id;
  end if;
  if windows <> '{}' then
    delete from rate_limit_windows where ctid = any(old_windows);
    insert into rate_limit_windows
    select api_key_id, started_at, max(requests) from unnest(windows) group by api_key_id, started_at;
  end if;
  if entries <> '{}' then
    insert into ledger select * from unnest(entries);
    perform sum_up_days(api_key_id) from unnest(entries) where position % 1000 = 0;
  end if;
end
$$;


--
-- Name: api_key_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_key_secrets (
    hash bytea NOT NULL,
    api_key_id integer NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT api_key_secrets_hash_check CHECK ((length(hash) = 32))
);


--
-- Name: api_keys_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.api_keys ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: term_ids; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.term_ids
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 1073741823
    CACHE 1;


--
-- Name: attributes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attributes (
    id integer DEFAULT nextval('public.term_ids'::regclass) NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    spelling text,
    number bigint GENERATED ALWAYS AS (
CASE
    WHEN (value ~ '^-?[0-9]{1,18}$'::text) THEN (value)::bigint
    ELSE NULL::bigint
END) STORED,
    items_count integer DEFAULT 0 NOT NULL,
    on_shelf boolean DEFAULT true NOT NULL
);


--
-- Name: balances; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.balances AS
 SELECT k.id AS api_key_id,
    COALESCE(l.balance, (0)::bigint) AS credits,
    COALESCE(l."position", (0)::bigint) AS last_position
   FROM (public.api_keys k
     LEFT JOIN LATERAL ( SELECT ledger.balance,
            ledger."position"
           FROM public.ledger
          WHERE (ledger.api_key_id = k.id)
          ORDER BY ledger."position" DESC
         LIMIT 1) l ON (true));


--
-- Name: commits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.commits (
    repository_id integer NOT NULL,
    commit_hash text NOT NULL COLLATE pg_catalog."C",
    committer_date bigint,
    author_date bigint,
    author_identity text COLLATE pg_catalog."C",
    coauthor_identities text[] COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    version bigint NOT NULL,
    members text NOT NULL
);


--
-- Name: contributions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contributions (
    identity text NOT NULL COLLATE pg_catalog."C",
    repository_id integer NOT NULL,
    kind text NOT NULL,
    first_date bigint,
    last_date bigint,
    excludes_nothing boolean NOT NULL,
    CONSTRAINT contributions_kind_check CHECK ((kind = ANY (ARRAY['owner'::text, 'author'::text])))
);


--
-- Name: coverage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.coverage (
    only_row boolean DEFAULT true NOT NULL,
    summary json NOT NULL,
    CONSTRAINT coverage_only_row_check CHECK (only_row)
);


--
-- Name: dataset; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dataset (
    only_row boolean DEFAULT true NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    edition uuid DEFAULT gen_random_uuid() NOT NULL,
    users_count integer DEFAULT 0 NOT NULL,
    repositories_count integer DEFAULT 0 NOT NULL,
    commits_count bigint DEFAULT 0 NOT NULL,
    last_user_id integer DEFAULT 0 NOT NULL,
    last_repository_id integer DEFAULT 0 NOT NULL,
    changes_since bigint DEFAULT 0 NOT NULL,
    user_rules text DEFAULT ''::text NOT NULL,
    CONSTRAINT dataset_only_row_check CHECK (only_row)
);


--
-- Name: dataset_versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dataset_versions (
    version bigint NOT NULL,
    term_id integer DEFAULT nextval('public.term_ids'::regclass) NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: dependencies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dependencies (
    id integer DEFAULT nextval('public.term_ids'::regclass) NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    file text NOT NULL COLLATE pg_catalog."C",
    status text COLLATE pg_catalog."C",
    file_dependency_id integer,
    users_count integer DEFAULT 0 NOT NULL,
    repositories_count integer DEFAULT 0 NOT NULL,
    users_on_shelf boolean DEFAULT true NOT NULL,
    repositories_on_shelf boolean DEFAULT true NOT NULL
)
WITH (fillfactor='60');


--
-- Name: forge_repositories; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forge_repositories (
    forge_rest_id bigint NOT NULL,
    missing_since timestamp with time zone
);


--
-- Name: forgotten_identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forgotten_identities (
    hash bytea NOT NULL,
    of_hash boolean NOT NULL,
    person_id integer NOT NULL,
    CONSTRAINT forgotten_identities_hash_check CHECK ((length(hash) = 32))
);


--
-- Name: forgotten_identities_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forgotten_identities_key (
    only_row boolean DEFAULT true NOT NULL,
    key bytea NOT NULL,
    CONSTRAINT forgotten_identities_key_key_check CHECK ((length(key) = 32)),
    CONSTRAINT forgotten_identities_key_only_row_check CHECK (only_row)
);


--
-- Name: forgotten_people; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forgotten_people (
    id integer NOT NULL,
    forgotten_at timestamp with time zone DEFAULT now() NOT NULL,
    keeps_repositories boolean NOT NULL
);


--
-- Name: forgotten_people_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.forgotten_people ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.forgotten_people_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: grant_references; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.grant_references (
    api_key_id integer NOT NULL,
    reference text NOT NULL,
    "position" bigint NOT NULL,
    granted bigint NOT NULL
);


--
-- Name: identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identities (
    identity text NOT NULL COLLATE pg_catalog."C",
    user_id integer NOT NULL,
    is_further boolean DEFAULT false NOT NULL
);


--
-- Name: imports; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.imports (
    id bigint NOT NULL,
    schema_name text DEFAULT "current_schema"() NOT NULL,
    staged bigint
);


--
-- Name: imports_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.imports ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.imports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: loads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.loads (
    id bigint NOT NULL,
    command text NOT NULL,
    source text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    covers_all boolean NOT NULL,
    version bigint NOT NULL,
    changes json NOT NULL
);


--
-- Name: loads_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.loads ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.loads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: locations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.locations (
    id integer DEFAULT nextval('public.term_ids'::regclass) NOT NULL,
    location text NOT NULL,
    location_key text NOT NULL,
    country text,
    users_count integer DEFAULT 0 NOT NULL,
    users_on_shelf boolean DEFAULT true NOT NULL
);


--
-- Name: migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    compatible_since integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: removals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.removals (
    id bigint NOT NULL,
    kind text NOT NULL,
    forge_rest_id bigint NOT NULL,
    version bigint NOT NULL,
    exists_again boolean DEFAULT false NOT NULL,
    CONSTRAINT removals_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'repository'::text])))
);


--
-- Name: removals_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.removals ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.removals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: repositories; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.repositories (
    id integer NOT NULL,
    forge_rest_id bigint NOT NULL,
    full_name_key text NOT NULL,
    url_key text NOT NULL,
    pushed_at bigint,
    term_ids integer[] NOT NULL,
    version bigint NOT NULL,
    members text NOT NULL,
    dependencies text DEFAULT '[]'::text NOT NULL,
    dependencies_count integer DEFAULT 0 NOT NULL,
    digest bigint GENERATED ALWAYS AS ((hashtextextended(members, (0)::bigint) # hashtextextended(dependencies, (1)::bigint))) STORED
);


--
-- Name: repository_dependencies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.repository_dependencies (
    repository_id integer NOT NULL,
    dependency_ids integer[] NOT NULL,
    first_use_dates bigint[] NOT NULL,
    last_use_dates bigint[] NOT NULL
);


--
-- Name: sets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sets (
    term_id integer NOT NULL,
    list public.list_name NOT NULL,
    part integer NOT NULL,
    width smallint NOT NULL,
    cardinality integer NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT sets_cardinality_check CHECK ((cardinality > 0))
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY public.sets ALTER COLUMN bytes SET STORAGE MAIN;


--
-- Name: user_activity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_activity (
    user_id integer NOT NULL,
    last_date bigint NOT NULL,
    term_id integer NOT NULL
);


--
-- Name: user_addresses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_addresses (
    user_id integer NOT NULL,
    version bigint NOT NULL,
    document text NOT NULL
);


--
-- Name: user_dependencies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_dependencies (
    user_id integer NOT NULL,
    dependency_ids integer[] NOT NULL
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id integer NOT NULL,
    forge_rest_id bigint NOT NULL,
    login_key text NOT NULL,
    is_bot boolean NOT NULL,
    term_ids integer[] NOT NULL,
    version bigint NOT NULL,
    document text NOT NULL,
    digest bigint GENERATED ALWAYS AS (hashtextextended(document, (0)::bigint)) STORED
);


--
-- Data for Name: api_key_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_key_secrets VALUES
	('\x2e1a26a1966c9ea00f2e1c7cc79fd42410dc530263284ebc57e22049d3e89af8', 1, NULL);


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys OVERRIDING SYSTEM VALUE VALUES
	(1, 'Fixture', 'user', '{users:read,repos:read}', 100000, 86400, '2026-11-28 01:43:21.925305+00', NULL, NULL, NULL, '2026-11-28 01:43:22.001528+00', 1);


--
-- Data for Name: attributes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.attributes VALUES
	(461, 'active_day', '20091', NULL, DEFAULT, 1, true),
	(463, 'active_day', '20082', NULL, DEFAULT, 1, true),
	(462, 'active_day', '20100', NULL, DEFAULT, 1, true),
	(455, 'active_day', '18559', NULL, DEFAULT, 1, true),
	(456, 'active_day', '19755', NULL, DEFAULT, 1, true),
	(458, 'active_day', '16898', NULL, DEFAULT, 1, true),
	(460, 'active_day', '18165', NULL, DEFAULT, 1, true),
	(454, 'active_day', '17594', NULL, DEFAULT, 1, true),
	(457, 'active_day', '19816', NULL, DEFAULT, 1, true),
	(459, 'active_day', '17485', NULL, DEFAULT, 1, true),
	(128, 'followers', '1315', '1315', DEFAULT, 1, true),
	(129, 'followers', '26', '26', DEFAULT, 2, true),
	(130, 'followers', '833', '833', DEFAULT, 1, true),
	(131, 'followers', '68', '68', DEFAULT, 1, true),
	(132, 'followers', '4937', '4937', DEFAULT, 1, true),
	(133, 'followers', '75', '75', DEFAULT, 1, true),
	(134, 'followers', '24149', '24149', DEFAULT, 1, true),
	(135, 'followers', '584', '584', DEFAULT, 1, true),
	(136, 'followers', '5274', '5274', DEFAULT, 1, true),
	(137, 'followers', '24', '24', DEFAULT, 1, true),
	(138, 'followers', '624', '624', DEFAULT, 1, true),
	(139, 'followers', '16', '16', DEFAULT, 2, true),
	(140, 'followers', '27047', '27047', DEFAULT, 1, true),
	(141, 'followers', '1', '1', DEFAULT, 1, true),
	(142, 'followers', '1219', '1219', DEFAULT, 1, true),
	(143, 'followers', '532', '532', DEFAULT, 1, true),
	(144, 'followers', '18', '18', DEFAULT, 2, true),
	(145, 'followers', '10', '10', DEFAULT, 1, true),
	(146, 'followers', '9', '9', DEFAULT, 1, true),
	(147, 'followers', '25', '25', DEFAULT, 1, true),
	(148, 'followers', '1197', '1197', DEFAULT, 1, true),
	(149, 'followers', '21', '21', DEFAULT, 1, true),
	(150, 'followers', '17', '17', DEFAULT, 1, true),
	(151, 'followers', '7', '7', DEFAULT, 1, true),
	(152, 'followers', '190', '190', DEFAULT, 1, true),
	(153, 'followers', '2958', '2958', DEFAULT, 1, true),
	(154, 'followers', '1295', '1295', DEFAULT, 1, true),
	(155, 'followers', '236', '236', DEFAULT, 1, true),
	(156, 'followers', '1173', '1173', DEFAULT, 1, true),
	(157, 'followers', '3889', '3889', DEFAULT, 1, true),
	(158, 'followers', '2487', '2487', DEFAULT, 1, true),
	(159, 'followers', '9850', '9850', DEFAULT, 1, true),
	(160, 'followers', '76', '76', DEFAULT, 1, true),
	(161, 'followers', '14', '14', DEFAULT, 1, true),
	(162, 'followers', '2197', '2197', DEFAULT, 1, true),
	(163, 'followers', '17786', '17786', DEFAULT, 1, true),
	(164, 'followers', '36', '36', DEFAULT, 1, true),
	(165, 'followers', '28', '28', DEFAULT, 1, true),
	(166, 'followers', '60', '60', DEFAULT, 1, true),
	(167, 'followers', '85210', '85210', DEFAULT, 1, true),
	(168, 'followers', '176', '176', DEFAULT, 1, true),
	(169, 'followers', '1024', '1024', DEFAULT, 1, true),
	(170, 'followers', '19', '19', DEFAULT, 1, true),
	(171, 'followers', '1613', '1613', DEFAULT, 1, true),
	(172, 'followers', '1914', '1914', DEFAULT, 1, true),
	(68, 'followers', '55', '55', DEFAULT, 1, true),
	(55, 'country', 'MX', NULL, DEFAULT, 1, true),
	(73, 'followers', '25069', '25069', DEFAULT, 1, true),
	(74, 'followers', '7394', '7394', DEFAULT, 1, true),
	(75, 'followers', '2178', '2178', DEFAULT, 1, true),
	(53, 'country', 'CH', NULL, DEFAULT, 3, true),
	(76, 'followers', '13490', '13490', DEFAULT, 1, true),
	(47, 'country', 'PL', NULL, DEFAULT, 3, true),
	(77, 'followers', '37', '37', DEFAULT, 1, true),
	(78, 'followers', '998', '998', DEFAULT, 1, true),
	(56, 'country', 'NZ', NULL, DEFAULT, 1, true),
	(79, 'type', 'ORGANIZATION', 'Organization', DEFAULT, 13, true),
	(80, 'followers', '19680', '19680', DEFAULT, 1, true),
	(41, 'country', 'ES', NULL, DEFAULT, 3, true),
	(81, 'followers', '1000', '1000', DEFAULT, 1, true),
	(83, 'followers', '12805', '12805', DEFAULT, 1, true),
	(84, 'followers', '20', '20', DEFAULT, 1, true),
	(85, 'followers', '11663', '11663', DEFAULT, 1, true),
	(63, 'country', 'BR', NULL, DEFAULT, 10, true),
	(86, 'followers', '39', '39', DEFAULT, 4, true),
	(87, 'followers', '170', '170', DEFAULT, 1, true),
	(43, 'country', 'US', NULL, DEFAULT, 10, true),
	(88, 'followers', '159', '159', DEFAULT, 1, true),
	(89, 'followers', '140', '140', DEFAULT, 1, true),
	(90, 'followers', '60856', '60856', DEFAULT, 1, true),
	(91, 'followers', '1802', '1802', DEFAULT, 1, true),
	(92, 'followers', '13', '13', DEFAULT, 1, true),
	(93, 'followers', '2', '2', DEFAULT, 1, true),
	(94, 'followers', '10731', '10731', DEFAULT, 1, true),
	(95, 'followers', '1365', '1365', DEFAULT, 1, true),
	(96, 'followers', '850', '850', DEFAULT, 1, true),
	(57, 'country', 'SE', NULL, DEFAULT, 1, true),
	(97, 'followers', '30', '30', DEFAULT, 2, true),
	(64, 'country', 'CA', NULL, DEFAULT, 3, true),
	(98, 'followers', '35', '35', DEFAULT, 1, true),
	(99, 'followers', '88', '88', DEFAULT, 1, true),
	(100, 'followers', '31', '31', DEFAULT, 1, true),
	(101, 'followers', '29', '29', DEFAULT, 1, true),
	(102, 'followers', '185', '185', DEFAULT, 1, true),
	(103, 'followers', '1445', '1445', DEFAULT, 1, true),
	(104, 'followers', '6', '6', DEFAULT, 2, true),
	(51, 'country', 'NG', NULL, DEFAULT, 3, true),
	(105, 'followers', '8', '8', DEFAULT, 5, true),
	(106, 'followers', '23', '23', DEFAULT, 3, true),
	(107, 'followers', '1763', '1763', DEFAULT, 1, true);
INSERT INTO public.attributes VALUES
	(44, 'country', 'GB', NULL, DEFAULT, 7, true),
	(108, 'followers', '3109', '3109', DEFAULT, 1, true),
	(109, 'followers', '21561', '21561', DEFAULT, 1, true),
	(58, 'country', 'TR', NULL, DEFAULT, 1, true),
	(110, 'followers', '732', '732', DEFAULT, 1, true),
	(111, 'followers', '4389', '4389', DEFAULT, 1, true),
	(112, 'followers', '22', '22', DEFAULT, 3, true),
	(62, 'country', 'IN', NULL, DEFAULT, 2, true),
	(113, 'followers', '33', '33', DEFAULT, 3, true),
	(114, 'followers', '45', '45', DEFAULT, 2, true),
	(115, 'followers', '71', '71', DEFAULT, 1, true),
	(116, 'followers', '145', '145', DEFAULT, 1, true),
	(117, 'followers', '57', '57', DEFAULT, 1, true),
	(118, 'followers', '647', '647', DEFAULT, 1, true),
	(119, 'followers', '14197', '14197', DEFAULT, 1, true),
	(45, 'country', 'AU', NULL, DEFAULT, 1, true),
	(120, 'followers', '4', '4', DEFAULT, 1, true),
	(121, 'followers', '3430', '3430', DEFAULT, 1, true),
	(48, 'country', 'JP', NULL, DEFAULT, 5, true),
	(122, 'followers', '19517', '19517', DEFAULT, 1, true),
	(123, 'followers', '5900', '5900', DEFAULT, 1, true),
	(124, 'followers', '38', '38', DEFAULT, 1, true),
	(125, 'followers', '11', '11', DEFAULT, 2, true),
	(60, 'country', 'NL', NULL, DEFAULT, 1, true),
	(126, 'followers', '1346', '1346', DEFAULT, 1, true),
	(127, 'followers', '99', '99', DEFAULT, 1, true),
	(46, 'country', 'EG', NULL, DEFAULT, 1, true),
	(54, 'country', 'KE', NULL, DEFAULT, 1, true),
	(49, 'country', 'RU', NULL, DEFAULT, 1, true),
	(42, 'country', 'KR', NULL, DEFAULT, 1, true),
	(61, 'country', 'DK', NULL, DEFAULT, 1, true),
	(59, 'country', 'AR', NULL, DEFAULT, 1, true),
	(50, 'country', 'FR', NULL, DEFAULT, 1, true),
	(65, 'has', 'bio', NULL, DEFAULT, 61, false),
	(82, 'has', 'company', NULL, DEFAULT, 65, false),
	(173, 'pushed_day', '20232', NULL, DEFAULT, 1, true),
	(175, 'stars', '33027', NULL, DEFAULT, 1, true),
	(176, 'license', 'AGPL-3.0', 'AGPL-3.0', DEFAULT, 2, true),
	(177, 'language', 'RUBY', 'Ruby', DEFAULT, 4, true),
	(179, 'pushed_day', '19314', NULL, DEFAULT, 1, true),
	(180, 'stars', '29386', NULL, DEFAULT, 1, true),
	(181, 'language', 'TYPESCRIPT', 'TypeScript', DEFAULT, 8, true),
	(182, 'license', 'ISC', 'ISC', DEFAULT, 2, true),
	(183, 'license', 'CC-BY-4.0', 'CC-BY-4.0', DEFAULT, 1, true),
	(184, 'pushed_day', '20139', NULL, DEFAULT, 1, true),
	(185, 'language', 'PHP', 'PHP', DEFAULT, 1, true),
	(186, 'license', 'APACHE-2.0', 'Apache-2.0', DEFAULT, 1, true),
	(187, 'fork', 'true', 'true', DEFAULT, 2, true),
	(188, 'stars', '76', NULL, DEFAULT, 1, true),
	(189, 'license', 'GPL-3.0', 'GPL-3.0', DEFAULT, 2, true),
	(190, 'pushed_day', '18918', NULL, DEFAULT, 1, true),
	(191, 'stars', '3428', NULL, DEFAULT, 1, true),
	(192, 'language', 'GO', 'Go', DEFAULT, 4, true),
	(193, 'pushed_day', '20042', NULL, DEFAULT, 1, true),
	(194, 'language', 'PYTHON', 'Python', DEFAULT, 8, true),
	(195, 'license', 'BSD-3-CLAUSE', 'BSD-3-Clause', DEFAULT, 3, true),
	(196, 'pushed_day', '19984', NULL, DEFAULT, 1, true),
	(197, 'stars', '3658', NULL, DEFAULT, 1, true),
	(198, 'language', 'JAVASCRIPT', 'JavaScript', DEFAULT, 3, true),
	(199, 'license', 'UNLICENSE', 'Unlicense', DEFAULT, 2, true),
	(200, 'stars', '28627', NULL, DEFAULT, 1, true),
	(201, 'pushed_day', '18340', NULL, DEFAULT, 1, true),
	(202, 'stars', '1010', NULL, DEFAULT, 1, true),
	(203, 'pushed_day', '19755', NULL, DEFAULT, 1, true),
	(204, 'language', 'C', 'C', DEFAULT, 1, true),
	(205, 'pushed_day', '20215', NULL, DEFAULT, 1, true),
	(206, 'license', 'MIT', 'MIT', DEFAULT, 8, true),
	(207, 'pushed_day', '20118', NULL, DEFAULT, 1, true),
	(208, 'archived', 'true', 'true', DEFAULT, 2, true),
	(209, 'stars', '1', NULL, DEFAULT, 3, true),
	(210, 'pushed_day', '16927', NULL, DEFAULT, 1, true),
	(211, 'pushed_day', '18843', NULL, DEFAULT, 1, true),
	(212, 'stars', '4762', NULL, DEFAULT, 1, true),
	(213, 'pushed_day', '19767', NULL, DEFAULT, 1, true),
	(214, 'stars', '1100', NULL, DEFAULT, 1, true),
	(215, 'pushed_day', '20073', NULL, DEFAULT, 1, true),
	(216, 'stars', '2', NULL, DEFAULT, 1, true),
	(217, 'pushed_day', '20032', NULL, DEFAULT, 1, true),
	(218, 'pushed_day', '19955', NULL, DEFAULT, 1, true),
	(219, 'stars', '20369', NULL, DEFAULT, 1, true),
	(220, 'pushed_day', '19503', NULL, DEFAULT, 1, true),
	(221, 'stars', '1093', NULL, DEFAULT, 1, true),
	(222, 'pushed_day', '19613', NULL, DEFAULT, 1, true),
	(223, 'pushed_day', '17371', NULL, DEFAULT, 1, true),
	(224, 'stars', '133', NULL, DEFAULT, 1, true),
	(225, 'pushed_day', '20100', NULL, DEFAULT, 1, true),
	(226, 'stars', '14069', NULL, DEFAULT, 1, true),
	(227, 'pushed_day', '19960', NULL, DEFAULT, 1, true),
	(228, 'stars', '2037', NULL, DEFAULT, 1, true),
	(229, 'language', 'JAVA', 'Java', DEFAULT, 1, true),
	(230, 'pushed_day', '20106', NULL, DEFAULT, 1, true),
	(231, 'pushed_day', '17422', NULL, DEFAULT, 1, true),
	(232, 'pushed_day', '19184', NULL, DEFAULT, 1, true),
	(233, 'stars', '7181', NULL, DEFAULT, 1, true),
	(234, 'pushed_day', '20242', NULL, DEFAULT, 1, true),
	(235, 'stars', '230', NULL, DEFAULT, 1, true),
	(236, 'pushed_day', '19620', NULL, DEFAULT, 1, true),
	(237, 'pushed_day', '20218', NULL, DEFAULT, 1, true),
	(238, 'stars', '25', NULL, DEFAULT, 1, true),
	(239, 'pushed_day', '19701', NULL, DEFAULT, 1, true);
INSERT INTO public.attributes VALUES
	(178, 'fork', 'false', 'false', DEFAULT, 28, false),
	(174, 'archived', 'false', 'false', DEFAULT, 28, false),
	(70, 'has', 'email', NULL, DEFAULT, 83, false),
	(69, 'has', 'name', NULL, DEFAULT, 103, false),
	(52, 'country', 'DE', NULL, DEFAULT, 24, false),
	(71, 'has', 'location', NULL, DEFAULT, 90, false),
	(67, 'type', 'USER', 'User', DEFAULT, 106, false),
	(66, 'has', 'avatar_url', NULL, DEFAULT, 112, false);


--
-- Data for Name: commits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.commits VALUES
	(1, 'def5f47d845776206238a5ea33555ec163227609', 1748048068, 1748048068, 'id:2346409312', NULL, 1, 1, '"commit_hash":"def5f47d845776206238a5ea33555ec163227609","author_email":"2346409312+UmaBakker@users.noreply.forge.example","author_date":1748048068,"committer_email":"2346409312+UmaBakker@users.noreply.forge.example","committer_date":1748048068,"message":"Corrige pagination (#641)"'),
	(2, 'eb27070e47d7a3e05e8cce9852520c2b1dccbbc2', 1392294621, 1392294621, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 1, 1, '"commit_hash":"eb27070e47d7a3e05e8cce9852520c2b1dccbbc2","author_email":"me@beatrizandersson.example","author_date":1392294621,"committer_email":"me@beatrizandersson.example","committer_date":1392294621,"message":"Update metrics"'),
	(2, '74e8b3bd1d105da964920bad2f9e736d21d7a323', 1444771149, 1444594404, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 2, 1, '"commit_hash":"74e8b3bd1d105da964920bad2f9e736d21d7a323","author_email":"me@beatrizandersson.example","author_date":1444594404,"committer_email":"me@beatrizandersson.example","committer_date":1444771149,"message":"Revert \"Add types\""'),
	(2, 'b20120401ca7de4312f63b87c98ce8b8eda4fa8e', 1479088320, 1479088320, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 3, 1, '"commit_hash":"b20120401ca7de4312f63b87c98ce8b8eda4fa8e","author_email":"me@beatrizandersson.example","author_date":1479088320,"committer_email":"noreply@forge.example","committer_date":1479088320,"message":"feat(tests): support cache"'),
	(2, 'e102b2e3a1579f4cf0980d4b611ccd40d8549ceb', 1497119235, 1497119235, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 4, 1, '"commit_hash":"e102b2e3a1579f4cf0980d4b611ccd40d8549ceb","author_email":"me@beatrizandersson.example","author_date":1497119235,"committer_email":"noreply@forge.example","committer_date":1497119235,"message":"Add upload"'),
	(2, '32f8ee10e22b77b42bf13a0cfd9440cfb8704da6', 1542422480, 1542422480, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 5, 1, '"commit_hash":"32f8ee10e22b77b42bf13a0cfd9440cfb8704da6","author_email":"me@beatrizandersson.example","author_date":1542422480,"committer_email":"me@beatrizandersson.example","committer_date":1542422480,"message":"fix(cache): do not lose keyboard"'),
	(2, 'b147467fec81a1e8fe0c3b6e9de13cd70fbaff81', 1582318055, 1582318055, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 6, 1, '"commit_hash":"b147467fec81a1e8fe0c3b6e9de13cd70fbaff81","author_email":"me@beatrizandersson.example","author_date":1582318055,"committer_email":"me@beatrizandersson.example","committer_date":1582318055,"message":"docs: explain pagination"'),
	(2, 'efd1ed9e8567e9c21e67d6f4d3f1d6795cb2c20f', 1610467951, 1610467951, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 7, 1, '"commit_hash":"efd1ed9e8567e9c21e67d6f4d3f1d6795cb2c20f","author_email":"me@beatrizandersson.example","author_date":1610467951,"committer_email":"me@beatrizandersson.example","committer_date":1610467951,"message":"feat: schema for worker"'),
	(2, '989a911b772b9ea0f0bf81bdfbd1d8ccde08168b', 1647079348, 1646215378, 'id:1399448607', NULL, 8, 1, '"commit_hash":"989a911b772b9ea0f0bf81bdfbd1d8ccde08168b","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1646215378,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1647079348,"message":"Bump three from 0.9.9 to 4.8.9"'),
	(2, '8ba76468dd000e20473035b45000792602cebc7f', 1668739779, 1668739779, 'email:ME@BEATRIZANDERSSON.EXAMPLE', NULL, 9, 1, '"commit_hash":"8ba76468dd000e20473035b45000792602cebc7f","author_email":"me@beatrizandersson.example","author_date":1668739779,"committer_email":"me@beatrizandersson.example","committer_date":1668739779,"message":"♻️ Rework search"'),
	(7, 'd7917e3b2060b3b76f86a60732c6620bc09fad7b', 1730829276, 1730829276, 'id:2346409312', NULL, 1, 1, '"commit_hash":"d7917e3b2060b3b76f86a60732c6620bc09fad7b","author_email":"2346409312+UmaBakker@users.noreply.forge.example","author_date":1730829276,"committer_email":"2346409312+UmaBakker@users.noreply.forge.example","committer_date":1730829276,"message":"fix: timeouts when pagination is empty\n\nSee the discussion in #739 for why the obvious way does not work:\n\n    if (value == null) return\n\ncatches more than it should."'),
	(7, '94921f03ae8fd0fa5e1dfdf404a245d0a32eb036', 1731217223, 1731217223, 'id:2346409312', NULL, 2, 1, '"commit_hash":"94921f03ae8fd0fa5e1dfdf404a245d0a32eb036","author_email":"2346409312+UmaBakker@users.noreply.forge.example","author_date":1731217223,"committer_email":"noreply@forge.example","committer_date":1731217223,"message":"perf: make keyboard twice as fast"'),
	(8, '513109dae7709d211915128ad0771da218db892b', 1598130042, 1598130042, 'email:MAJA-CODES@MAIL.EXAMPLE', NULL, 1, 1, '"commit_hash":"513109dae7709d211915128ad0771da218db892b","author_email":"maja-codes@mail.example","author_date":1598130042,"committer_email":"maja-codes@mail.example","committer_date":1598130042,"message":"🐛 Fix docs\n\n- handles the empty case\n- adds a test\n- drops the workaround"'),
	(8, 'a9a565668165d51be9f3124199017241bcf44cc9', 1636148829, 1636148829, 'email:SSINGH@EXAMPLE.COM', NULL, 2, 1, '"commit_hash":"a9a565668165d51be9f3124199017241bcf44cc9","author_email":"ssingh@example.com","author_date":1636148829,"committer_email":"ssingh@example.com","committer_date":1636148829,"message":"feat(cache): support sidebar"'),
	(8, '131c0562bc872c5ffcd35889d7c6ece3f0caa742', 1660043903, 1660043903, 'email:MAJA-CODES@MAIL.EXAMPLE', NULL, 3, 1, '"commit_hash":"131c0562bc872c5ffcd35889d7c6ece3f0caa742","author_email":"maja-codes@mail.example","author_date":1660043903,"committer_email":"maja-codes@mail.example","committer_date":1660043903,"message":"fix: import when export is empty"'),
	(9, '12c67a322068cf8a8583ca455bb3bb3057ce88aa', 1520204949, 1520204949, 'id:1657559388', NULL, 1, 1, '"commit_hash":"12c67a322068cf8a8583ca455bb3bb3057ce88aa","author_email":"1657559388+mmohamed@users.noreply.forge.example","author_date":1520204949,"committer_email":"1657559388+mmohamed@users.noreply.forge.example","committer_date":1520204949,"message":"test: cover header and import"'),
	(9, '9a4dafc9425fe9b341d54cc7e6f76a267824eb2b', 1532828783, 1532828783, 'email:NADIA-CODES@EXAMPLE.ORG', NULL, 2, 1, '"commit_hash":"9a4dafc9425fe9b341d54cc7e6f76a267824eb2b","author_email":"nadia-codes@example.org","author_date":1532828783,"committer_email":"nadia-codes@example.org","committer_date":1532828783,"message":"Add session"'),
	(9, '90690d452ba2ca99a927f6b683287a2763eff332', 1554203355, 1554203355, 'email:ME@ADASILVA.EXAMPLE', NULL, 3, 1, '"commit_hash":"90690d452ba2ca99a927f6b683287a2763eff332","author_email":"me@adasilva.example","author_date":1554203355,"committer_email":"me@adasilva.example","committer_date":1554203355,"message":"fix: schema when config is empty"'),
	(9, '56dce030011a6561abd7b989eccb2bf16ca32b23', 1569470168, 1569470168, 'email:ME@ADASILVA.EXAMPLE', NULL, 4, 1, '"commit_hash":"56dce030011a6561abd7b989eccb2bf16ca32b23","author_email":"me@adasilva.example","author_date":1569470168,"committer_email":"me@adasilva.example","committer_date":1569470168,"message":"Remove unused login"'),
	(10, 'b406056fe2584361cdbd59e87a599ee2ebf1d38c', 1692512078, 1692512078, 'email:RHADDAD@EXAMPLE.NET', NULL, 1, 1, '"commit_hash":"b406056fe2584361cdbd59e87a599ee2ebf1d38c","author_email":"rhaddad@example.net","author_date":1692512078,"committer_email":"rhaddad@example.net","committer_date":1692512078,"message":"fix: upload when types is empty"'),
	(10, '4e67a8d3ee88d88dd98ab9a4576443bc5fc687af', 1695645238, 1695645238, 'email:RHADDAD@EXAMPLE.NET', NULL, 2, 1, '"commit_hash":"4e67a8d3ee88d88dd98ab9a4576443bc5fc687af","author_email":"rhaddad@example.net","author_date":1695645238,"committer_email":"rhaddad@example.net","committer_date":1695645238,"message":"fix(types): do not lose types"'),
	(10, 'a7cabb67e29cb82272db995f3a92e1376c4e11ce', 1698762009, 1698762009, 'id:1657462707', NULL, 3, 1, '"commit_hash":"a7cabb67e29cb82272db995f3a92e1376c4e11ce","author_email":"1657462707+nadia-codes@users.noreply.forge.example","author_date":1698762009,"committer_email":"1657462707+nadia-codes@users.noreply.forge.example","committer_date":1698762009,"message":"fix: fixtures when schema is empty"'),
	(10, '32d3b9d7d1bae68c5e062763b9a4e4aa2bf783c7', 1699756199, 1699756199, 'email:RHADDAD@EXAMPLE.NET', NULL, 4, 1, '"commit_hash":"32d3b9d7d1bae68c5e062763b9a4e4aa2bf783c7","author_email":"rhaddad@example.net","author_date":1699756199,"committer_email":"rhaddad@example.net","committer_date":1699756199,"message":"🚀 Ship the new metrics (#7)"'),
	(10, 'ff6f63c3466675ef42b12864681082b29117db3a', 1701619986, 1701619986, 'id:1657462707', NULL, 5, 1, '"commit_hash":"ff6f63c3466675ef42b12864681082b29117db3a","author_email":"1657462707+nadia-codes@users.noreply.forge.example","author_date":1701619986,"committer_email":"1657462707+nadia-codes@users.noreply.forge.example","committer_date":1701619986,"message":"fix: schema when config is empty"'),
	(10, '3ac64d453ca5b115bac98b3cba10002a7560ca6b', 1703765636, 1703765636, 'id:1657462707', NULL, 6, 1, '"commit_hash":"3ac64d453ca5b115bac98b3cba10002a7560ca6b","author_email":"1657462707+nadia-codes@users.noreply.forge.example","author_date":1703765636,"committer_email":"1657462707+nadia-codes@users.noreply.forge.example","committer_date":1703765636,"message":"docs: explain keyboard\n\nFixes #161"'),
	(10, '3fb670522389a3f5a1dade68e0cda4da24d3b353', 1704452811, 1704452811, 'email:RHADDAD@EXAMPLE.NET', NULL, 7, 1, '"commit_hash":"3fb670522389a3f5a1dade68e0cda4da24d3b353","author_email":"rhaddad@example.net","author_date":1704452811,"committer_email":"rhaddad@example.net","committer_date":1704452811,"message":"refactor: move timeouts out of import (#339)"'),
	(10, '6f84c0f446e9ff7c4a0323aeaac0606ab08e7c25', 1706882182, 1706868720, 'email:RHADDAD@EXAMPLE.NET', NULL, 8, 1, '"commit_hash":"6f84c0f446e9ff7c4a0323aeaac0606ab08e7c25","author_email":"rhaddad@example.net","author_date":1706868720,"committer_email":"rhaddad@example.net","committer_date":1706882182,"message":"test: cover tests and theme"'),
	(11, 'de5fddbd2e2275bd8fa21f500363ab7533df2a3a', 1550797589, 1550797589, 'id:1999648078', NULL, 1, 1, '"commit_hash":"de5fddbd2e2275bd8fa21f500363ab7533df2a3a","author_email":"1999648078+rafael46@users.noreply.forge.example","author_date":1550797589,"committer_email":"1999648078+rafael46@users.noreply.forge.example","committer_date":1550797589,"message":"Merge pull request #554 from sidebar-fix"'),
	(11, '8608f6500ee5546401b9d4f059e02714f8661b0a', 1572576735, 1572576735, 'email:LIAMWEBER@EXAMPLE.NET', NULL, 2, 1, '"commit_hash":"8608f6500ee5546401b9d4f059e02714f8661b0a","author_email":"liamweber@example.net","author_date":1572576735,"committer_email":"liamweber@example.net","committer_date":1572576735,"message":"fix(import): do not lose changelog"'),
	(11, 'e4ffc7ee5d900c235506dff7c5420c8f37cc3b7f', 1603560841, 1603560841, 'email:LIAMWEBER@EXAMPLE.NET', NULL, 3, 1, '"commit_hash":"e4ffc7ee5d900c235506dff7c5420c8f37cc3b7f","author_email":"liamweber@example.net","author_date":1603560841,"committer_email":"liamweber@example.net","committer_date":1603560841,"message":"✨ Add docs to timeouts"'),
	(11, '596ce875e8e6202da23385bbd4262263fe24fd63', 1615989481, 1615989481, 'id:1399448607', NULL, 4, 1, '"commit_hash":"596ce875e8e6202da23385bbd4262263fe24fd63","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1615989481,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1615989481,"message":"Bump click from 2.12.4 to 2.14.4"'),
	(11, '01e6f4bcf6a07a33e25583bdd13d283d6a180c37', 1671932624, 1671645040, 'email:MULLER-DEV+FORGE@EXAMPLE.COM', NULL, 5, 1, '"commit_hash":"01e6f4bcf6a07a33e25583bdd13d283d6a180c37","author_email":"muller-dev+forge@example.com","author_date":1671645040,"committer_email":"muller-dev+forge@example.com","committer_date":1671932624,"message":"wip"'),
	(12, '9f72142dd6b3201d5611fcc4130614fb2657d7ce', 1733608504, 1732711025, 'id:713563259', NULL, 1, 1, '"commit_hash":"9f72142dd6b3201d5611fcc4130614fb2657d7ce","author_email":"713563259+SannaCastillo@users.noreply.forge.example","author_date":1732711025,"committer_email":"713563259+SannaCastillo@users.noreply.forge.example","committer_date":1733608504,"message":"🚀 Ship the new changelog (#834)"'),
	(12, '5f4910dece1f84703f17274c882184b59ecf9b3b', 1735142345, 1735142345, 'id:713563259', NULL, 2, 1, '"commit_hash":"5f4910dece1f84703f17274c882184b59ecf9b3b","author_email":"713563259+SannaCastillo@users.noreply.forge.example","author_date":1735142345,"committer_email":"713563259+SannaCastillo@users.noreply.forge.example","committer_date":1735142345,"message":"fix: parser when README is empty"'),
	(12, '3a9271ec33d5df94f7506a36af92d37cf83e59d9', 1737608360, 1737608360, 'email:ME@ANDERSSON-DEV.EXAMPLE', NULL, 3, 1, '"commit_hash":"3a9271ec33d5df94f7506a36af92d37cf83e59d9","author_email":"me@andersson-dev.example","author_date":1737608360,"committer_email":"me@andersson-dev.example","committer_date":1737608360,"message":"feat(sidebar): support sidebar"'),
	(13, '74ec1564477351ea003d838f88f6c30005ad0ffd', 1435679092, 1435679092, 'email:ESRAKOVACS@MAIL.EXAMPLE', NULL, 1, 1, '"commit_hash":"74ec1564477351ea003d838f88f6c30005ad0ffd","author_email":"esrakovacs@mail.example","author_date":1435679092,"committer_email":"esrakovacs@mail.example","committer_date":1435679092,"message":"refactor: move docs out of validation"'),
	(13, 'f14cde7d3754da92c11a6786da55c4eb52d84f15', 1438336924, 1438336924, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 2, 1, '"commit_hash":"f14cde7d3754da92c11a6786da55c4eb52d84f15","author_email":"gabriela-tremblay@example.net","author_date":1438336924,"committer_email":"gabriela-tremblay@example.net","committer_date":1438336924,"message":"🐛 Fix theme"'),
	(13, 'dd4bd75d3dc081ede5281af19fb6140e7dcc690b', 1440880846, 1440880846, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 3, 1, '"commit_hash":"dd4bd75d3dc081ede5281af19fb6140e7dcc690b","author_email":"gabriela-tremblay@example.net","author_date":1440880846,"committer_email":"gabriela-tremblay@example.net","committer_date":1440880846,"message":"docs: explain search"'),
	(13, 'c643da37a0c15759dec3dd057d4efd08061a828f', 1442156880, 1442156880, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 4, 1, '"commit_hash":"c643da37a0c15759dec3dd057d4efd08061a828f","author_email":"gabriela-tremblay@example.net","author_date":1442156880,"committer_email":"gabriela-tremblay@example.net","committer_date":1442156880,"message":"fix: query when retries is empty"'),
	(13, 'f8d47fc9fd3cecd7bab10a54e245b3fd8c647687', 1444831795, 1444831795, 'id:617998682', NULL, 5, 1, '"commit_hash":"f8d47fc9fd3cecd7bab10a54e245b3fd8c647687","author_email":"617998682+ana-costa@users.noreply.forge.example","author_date":1444831795,"committer_email":"617998682+ana-costa@users.noreply.forge.example","committer_date":1444831795,"message":"fix: tests when download is empty"'),
	(13, '8f2538c715b36740fa98cb4cde3c232d9e7e58cc', 1447995772, 1447995772, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', '{email:LOKAFOR@EXAMPLE.ORG}', 6, 1, '"commit_hash":"8f2538c715b36740fa98cb4cde3c232d9e7e58cc","author_email":"gabriela-tremblay@example.net","author_date":1447995772,"committer_email":"gabriela-tremblay@example.net","committer_date":1447995772,"message":"fix: fixtures when cache is empty\n\nCo-authored-by: A contributor <lokafor@example.org>"'),
	(13, 'f6852eb3fbc25a1a7971714a5219f1de041bf7b2', 1451196518, 1451196518, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 7, 1, '"commit_hash":"f6852eb3fbc25a1a7971714a5219f1de041bf7b2","author_email":"gabriela-tremblay@example.net","author_date":1451196518,"committer_email":"gabriela-tremblay@example.net","committer_date":1451196518,"message":"Corrige scheduler"'),
	(13, 'bd58a8d1b2bf448ea0c682ff570e435141b474f0', 1453122197, 1453122197, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 8, 1, '"commit_hash":"bd58a8d1b2bf448ea0c682ff570e435141b474f0","author_email":"gabriela-tremblay@example.net","author_date":1453122197,"committer_email":"gabriela-tremblay@example.net","committer_date":1453122197,"message":"docs: explain footer"'),
	(13, '5d2a737dac728cfb8f5038a3a18a532e252e1559', 1454594998, 1454594998, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 9, 1, '"commit_hash":"5d2a737dac728cfb8f5038a3a18a532e252e1559","author_email":"gabriela-tremblay@example.net","author_date":1454594998,"committer_email":"gabriela-tremblay@example.net","committer_date":1454594998,"message":"WIP webhooks"'),
	(13, 'f280f30de26fc1a08a1fcf6199b5b5faaf41ebac', 1457017259, 1457017259, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 10, 1, '"commit_hash":"f280f30de26fc1a08a1fcf6199b5b5faaf41ebac","author_email":"gabriela-tremblay@example.net","author_date":1457017259,"committer_email":"gabriela-tremblay@example.net","committer_date":1457017259,"message":"Revert \"Add pagination\""'),
	(13, '67f4042fe10a49c9f57e67ee419d362fd76ae6fc', 1460039721, 1460039721, 'email:ESRAKOVACS@MAIL.EXAMPLE', NULL, 11, 1, '"commit_hash":"67f4042fe10a49c9f57e67ee419d362fd76ae6fc","author_email":"esrakovacs@mail.example","author_date":1460039721,"committer_email":"esrakovacs@mail.example","committer_date":1460039721,"message":"fix: footer when docs is empty"'),
	(13, 'dad3818adee341a08e22e59fb4c5ef9837f486e8', 1461377331, 1461377331, 'email:GABRIELA-TREMBLAY@EXAMPLE.NET', NULL, 12, 1, '"commit_hash":"dad3818adee341a08e22e59fb4c5ef9837f486e8","author_email":"gabriela-tremblay@example.net","author_date":1461377331,"committer_email":"gabriela-tremblay@example.net","committer_date":1461377331,"message":"docs: explain index"'),
	(14, '6544404be1c10035a94342aadbde8e2c55dd1410', 1619857681, 1619487881, 'email:ZSOFIAMOREAU+FORGE@EXAMPLE.COM', NULL, 1, 1, '"commit_hash":"6544404be1c10035a94342aadbde8e2c55dd1410","author_email":"zsofiamoreau+forge@example.com","author_date":1619487881,"committer_email":"zsofiamoreau+forge@example.com","committer_date":1619857681,"message":"feat: config for query"'),
	(14, '641ae2ab6bdde01e56f96ae7683546cc75f06dcb', 1621250412, 1621250412, 'id:1399448607', NULL, 2, 1, '"commit_hash":"641ae2ab6bdde01e56f96ae7683546cc75f06dcb","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1621250412,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1621250412,"message":"Bump requests from 6.3.12 to 1.18.9"'),
	(14, 'a7f495592aeedfb0168ac6fe784a2285334d3902', 1622548271, 1622548271, 'email:ZSOFIAMOREAU+FORGE@EXAMPLE.COM', NULL, 3, 1, '"commit_hash":"a7f495592aeedfb0168ac6fe784a2285334d3902","author_email":"zsofiamoreau+forge@example.com","author_date":1622548271,"committer_email":"zsofiamoreau+forge@example.com","committer_date":1622548271,"message":"fix(schema): do not lose webhooks (#325)"'),
	(14, '9481188cb67c381f57efb934b2c64eea2dac0401', 1624778389, 1624778389, 'email:J.DOE@OLD-EMPLOYER.EXAMPLE', NULL, 4, 1, '"commit_hash":"9481188cb67c381f57efb934b2c64eea2dac0401","author_email":"J.Doe@old-employer.example","author_date":1624778389,"committer_email":"J.Doe@old-employer.example","committer_date":1624778389,"message":"Fix typo in footer"'),
	(14, '061e7367e4a4667548715c2985b5b38f7570b3a5', 1625821834, 1625821834, 'email:ZSOFIAMOREAU+FORGE@EXAMPLE.COM', NULL, 5, 1, '"commit_hash":"061e7367e4a4667548715c2985b5b38f7570b3a5","author_email":"zsofiamoreau+forge@example.com","author_date":1625821834,"committer_email":"zsofiamoreau+forge@example.com","committer_date":1625821834,"message":"docs: explain pagination"'),
	(14, '7f2a8f08b0970b97f02c9d6d434952e84f7ac732', 1627851741, 1627851741, 'email:ZSOFIAMOREAU+FORGE@EXAMPLE.COM', NULL, 6, 1, '"commit_hash":"7f2a8f08b0970b97f02c9d6d434952e84f7ac732","author_email":"zsofiamoreau+forge@example.com","author_date":1627851741,"committer_email":"zsofiamoreau+forge@example.com","committer_date":1627851741,"message":"WIP cache"'),
	(15, '763b6ec5487e17f13c0738bf31a12134612f6fdb', 1685287907, 1685287907, 'email:NKOVACS@MAIL.EXAMPLE', NULL, 1, 1, '"commit_hash":"763b6ec5487e17f13c0738bf31a12134612f6fdb","author_email":"nkovacs@mail.example","author_date":1685287907,"committer_email":"nkovacs@mail.example","committer_date":1685287907,"message":"fix(tests): do not lose metrics"'),
	(15, '4ec12315e04d9b53392189d0be08752bda155c53', 1687736847, 1687736847, 'email:NKOVACS@MAIL.EXAMPLE', NULL, 2, 1, '"commit_hash":"4ec12315e04d9b53392189d0be08752bda155c53","author_email":"nkovacs@mail.example","author_date":1687736847,"committer_email":"nkovacs@mail.example","committer_date":1687736847,"message":"chore: tidy up parser"'),
	(15, '3fe9bfad01a769b6ff98f4199f9ad41f32e9d7cd', 1689691182, 1689691182, 'id:978788679', NULL, 3, 1, '"commit_hash":"3fe9bfad01a769b6ff98f4199f9ad41f32e9d7cd","author_email":"978788679+mateostrand@users.noreply.forge.example","author_date":1689691182,"committer_email":"978788679+mateostrand@users.noreply.forge.example","committer_date":1689691182,"message":"feat(search): support fixtures"'),
	(15, '2048ead49ba173e68a89efaad870d4ecd2e0b8b0', 1691800628, 1691800628, 'email:NKOVACS@MAIL.EXAMPLE', NULL, 4, 1, '"commit_hash":"2048ead49ba173e68a89efaad870d4ecd2e0b8b0","author_email":"nkovacs@mail.example","author_date":1691800628,"committer_email":"nkovacs@mail.example","committer_date":1691800628,"message":"fix: errors when fixtures is empty"'),
	(15, 'ebce80709cd6a52eb73f311c3222d5680f001310', 1692525331, 1692525331, 'email:NKOVACS@MAIL.EXAMPLE', NULL, 5, 1, '"commit_hash":"ebce80709cd6a52eb73f311c3222d5680f001310","author_email":"nkovacs@mail.example","author_date":1692525331,"committer_email":"nkovacs@mail.example","committer_date":1692525331,"message":"validationを修正"'),
	(15, '758d9cfd71dc1373e6dcac7ba5e8698e40c531fe', 1694226343, 1692934418, 'id:1399448607', NULL, 6, 1, '"commit_hash":"758d9cfd71dc1373e6dcac7ba5e8698e40c531fe","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1692934418,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1694226343,"message":"Bump vite from 3.8.4 to 1.9.10"'),
	(15, '11414dade0fa3a4a8c0b04d07c7aa2aa647ebe1e', 1696615662, 1696615662, 'id:978788679', NULL, 7, 1, '"commit_hash":"11414dade0fa3a4a8c0b04d07c7aa2aa647ebe1e","author_email":"978788679+mateostrand@users.noreply.forge.example","author_date":1696615662,"committer_email":"978788679+mateostrand@users.noreply.forge.example","committer_date":1696615662,"message":"feat: worker for theme"'),
	(15, '3e3086d86f405b4b4b01aed2f12fae3e5f0a3a3f', 1699594239, 1697969487, 'email:NKOVACS@MAIL.EXAMPLE', NULL, 8, 1, '"commit_hash":"3e3086d86f405b4b4b01aed2f12fae3e5f0a3a3f","author_email":"nkovacs@mail.example","author_date":1697969487,"committer_email":"nkovacs@mail.example","committer_date":1699594239,"message":"Add footer"'),
	(15, '0c208ae6b451ccb6b49f9de5e92dc116ccd8eee0', 1702234394, 1702234394, 'id:1399448607', NULL, 9, 1, '"commit_hash":"0c208ae6b451ccb6b49f9de5e92dc116ccd8eee0","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1702234394,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1702234394,"message":"Bump svelte from 8.8.7 to 5.14.12"'),
	(15, '40af048c91f7481888b45c74bbfe196b4a7aa584', 1707900696, 1707900696, 'email:NKOVACS@MAIL.EXAMPLE', NULL, 10, 1, '"commit_hash":"40af048c91f7481888b45c74bbfe196b4a7aa584","author_email":"nkovacs@mail.example","author_date":1707900696,"committer_email":"nkovacs@mail.example","committer_date":1707900696,"message":"fix: cache when schema is empty"'),
	(16, 'fa59857b75235b45081e1d54b82d883801050495', 1695144567, 1695144567, 'id:1399448607', NULL, 1, 1, '"commit_hash":"fa59857b75235b45081e1d54b82d883801050495","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1695144567,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1695144567,"message":"Bump playwright from 7.6.4 to 9.10.12"'),
	(16, 'd3d2e0c2f50b620a29715b1465d7e2d9ab333745', 1726413207, 1726413207, 'id:1399448607', NULL, 2, 1, '"commit_hash":"d3d2e0c2f50b620a29715b1465d7e2d9ab333745","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1726413207,"committer_email":"noreply@forge.example","committer_date":1726413207,"message":"Bump vitest from 1.12.6 to 0.5.1"'),
	(17, '40fbd0912d4a0b607c1e78c7e7f8e1ab6c2e6a7e', 1730235615, 1730235615, 'email:ME@RAVI-CODES.EXAMPLE', NULL, 1, 1, '"commit_hash":"40fbd0912d4a0b607c1e78c7e7f8e1ab6c2e6a7e","author_email":"me@ravi-codes.example","author_date":1730235615,"committer_email":"me@ravi-codes.example","committer_date":1730235615,"message":"Behebt einen Fehler in download"'),
	(17, '5f52e9ff5f24317200e6173457fc35bf6628874d', 1730304417, 1730304417, 'id:1399448607', NULL, 2, 1, '"commit_hash":"5f52e9ff5f24317200e6173457fc35bf6628874d","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1730304417,"committer_email":"noreply@forge.example","committer_date":1730304417,"message":"Bump pydantic from 7.2.4 to 9.6.0"'),
	(17, 'ca72817193e6d78736a9d7fe449a81baa49810a0', 1730396595, 1730396595, 'email:NSCHAFER@EXAMPLE.ORG', NULL, 3, 1, '"commit_hash":"ca72817193e6d78736a9d7fe449a81baa49810a0","author_email":"nschafer@example.org","author_date":1730396595,"committer_email":"nschafer@example.org","committer_date":1730396595,"message":"feat: index for timeouts"'),
	(17, '9ec7fa17f298d6e131fbc1dad73c346261fda48a', 1730527656, 1730527656, 'id:978788679', NULL, 4, 1, '"commit_hash":"9ec7fa17f298d6e131fbc1dad73c346261fda48a","author_email":"978788679+mateostrand@users.noreply.forge.example","author_date":1730527656,"committer_email":"978788679+mateostrand@users.noreply.forge.example","committer_date":1730527656,"message":"refactor: move theme out of metrics"'),
	(17, '047a319dc0b437f3f54c86913b3f795bf1c91b85', 1730623315, 1730623315, 'email:NSCHAFER@EXAMPLE.ORG', NULL, 5, 1, '"commit_hash":"047a319dc0b437f3f54c86913b3f795bf1c91b85","author_email":"nschafer@example.org","author_date":1730623315,"committer_email":"nschafer@example.org","committer_date":1730623315,"message":"test: cover logging and scheduler"'),
	(18, '0ab079d2b4dbf43c5c865c4c4c3b53edc28c6b79', 1642429253, 1642429253, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 1, 1, '"commit_hash":"0ab079d2b4dbf43c5c865c4c4c3b53edc28c6b79","author_email":"me@chiara-codes.example","author_date":1642429253,"committer_email":"me@chiara-codes.example","committer_date":1642429253,"message":"fix(login): do not lose pagination"'),
	(18, '81c6ef78bbb5885c58c0fcc57ee9e8eb1700bbc4', 1650802201, 1650802201, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 2, 1, '"commit_hash":"81c6ef78bbb5885c58c0fcc57ee9e8eb1700bbc4","author_email":"me@chiara-codes.example","author_date":1650802201,"committer_email":"me@chiara-codes.example","committer_date":1650802201,"message":"parserを修正"'),
	(18, '1a42e2c0003f681b99d69af6fb2e95abac110381', 1663031572, 1663031572, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 3, 1, '"commit_hash":"1a42e2c0003f681b99d69af6fb2e95abac110381","author_email":"me@chiara-codes.example","author_date":1663031572,"committer_email":"me@chiara-codes.example","committer_date":1663031572,"message":"docs: explain scheduler"'),
	(18, '89e7a3b3adca75e99a3aaa1300f7a32eb0edc4e4', 1675839536, 1675839536, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 4, 1, '"commit_hash":"89e7a3b3adca75e99a3aaa1300f7a32eb0edc4e4","author_email":"me@chiara-codes.example","author_date":1675839536,"committer_email":"me@chiara-codes.example","committer_date":1675839536,"message":"test: cover export and metrics"'),
	(18, '70c04bb4b6013aee05f8b7e7f89c306e54ecbe6a', 1693491360, 1693491360, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 5, 1, '"commit_hash":"70c04bb4b6013aee05f8b7e7f89c306e54ecbe6a","author_email":"me@chiara-codes.example","author_date":1693491360,"committer_email":"me@chiara-codes.example","committer_date":1693491360,"message":"fix(changelog): do not lose logging"'),
	(18, '32e15cf434e412c5ddf3301214b31268c2f6f3b3', 1701607380, 1701607380, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 6, 1, '"commit_hash":"32e15cf434e412c5ddf3301214b31268c2f6f3b3","author_email":"me@chiara-codes.example","author_date":1701607380,"committer_email":"me@chiara-codes.example","committer_date":1701607380,"message":"feat(export): support upload"'),
	(18, '8bf07546beaed53a214a53d2b8446a3afa2d7843', 1712146948, 1712146948, 'id:487086945', NULL, 7, 1, '"commit_hash":"8bf07546beaed53a214a53d2b8446a3afa2d7843","author_email":"487086945+sanna-oliveira@users.noreply.forge.example","author_date":1712146948,"committer_email":"487086945+sanna-oliveira@users.noreply.forge.example","committer_date":1712146948,"message":"chore: tidy up index"'),
	(18, '74bd3b7d5f2e34a74f0aae9d5d8a64986a9533ef', 1724135217, 1724135217, 'email:ME@CHIARA-CODES.EXAMPLE', NULL, 8, 1, '"commit_hash":"74bd3b7d5f2e34a74f0aae9d5d8a64986a9533ef","author_email":"me@chiara-codes.example","author_date":1724135217,"committer_email":"me@chiara-codes.example","committer_date":1724135217,"message":"sidebarを修正"'),
	(20, '3560f8ee0a92df2663bbfe70a5ef37bb979914c8', 1675984317, 1675984317, 'email:J.DOE@OLD-EMPLOYER.EXAMPLE', NULL, 1, 1, '"commit_hash":"3560f8ee0a92df2663bbfe70a5ef37bb979914c8","author_email":"J.Doe@old-employer.example","author_date":1675984317,"committer_email":"J.Doe@old-employer.example","committer_date":1675984317,"message":"🐛 Fix errors\n\nThe old code read the whole of it into memory, which was fine until it was not."'),
	(21, 'b6f4531b33ab2edb27c2d951d1b2faecd040ade7', 1489937631, 1489937631, 'id:1399448607', NULL, 1, 1, '"commit_hash":"b6f4531b33ab2edb27c2d951d1b2faecd040ade7","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1489937631,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1489937631,"message":"Bump hono from 8.4.9 to 4.4.11"'),
	(21, 'd717f94c3908265c7588357e1308af7166c5ad50', 1495913454, 1495913454, 'id:942602244', NULL, 2, 1, '"commit_hash":"d717f94c3908265c7588357e1308af7166c5ad50","author_email":"942602244+cpapadaki@users.noreply.forge.example","author_date":1495913454,"committer_email":"942602244+cpapadaki@users.noreply.forge.example","committer_date":1495913454,"message":"Add parser"'),
	(22, '2b62ab4d7c8b438dd9d6e218110e2333c1fd3c42', 1736705676, 1736705676, 'email:SIMA-LEVI+FORGE@EXAMPLE.COM', NULL, 1, 1, '"commit_hash":"2b62ab4d7c8b438dd9d6e218110e2333c1fd3c42","author_email":"sima-levi+forge@example.com","author_date":1736705676,"committer_email":"sima-levi+forge@example.com","committer_date":1736705676,"message":"test: cover queue and header"'),
	(23, 'e3a4d1f92db9945f134703aae908c7805e5dc8ba', 1510728443, 1510728443, 'email:ME@TOMAS-JANSEN.EXAMPLE', NULL, 1, 1, '"commit_hash":"e3a4d1f92db9945f134703aae908c7805e5dc8ba","author_email":"me@tomas-jansen.example","author_date":1510728443,"committer_email":"me@tomas-jansen.example","committer_date":1510728443,"message":"fix(metrics): do not lose errors"'),
	(24, '0534d5762d904c407061c7d3bbcd1dce43baedb3', 1729699475, 1729699475, 'email:RAVI5+FORGE@EXAMPLE.COM', NULL, 1, 1, '"commit_hash":"0534d5762d904c407061c7d3bbcd1dce43baedb3","author_email":"ravi5+forge@example.com","author_date":1729699475,"committer_email":"ravi5+forge@example.com","committer_date":1729699475,"message":"headerを修正"'),
	(24, '8fd302c4b511270bff9b488e811418f9a164c235', 1735924359, 1735924359, 'email:RAVI5+FORGE@EXAMPLE.COM', NULL, 2, 1, '"commit_hash":"8fd302c4b511270bff9b488e811418f9a164c235","author_email":"ravi5+forge@example.com","author_date":1735924359,"committer_email":"ravi5+forge@example.com","committer_date":1735924359,"message":"feat: docs for pagination"'),
	(26, 'e6970c3c757f771e12889f52b9f806726cb332f0', 1648152638, 1648152638, 'id:1399448607', NULL, 1, 1, '"commit_hash":"e6970c3c757f771e12889f52b9f806726cb332f0","author_email":"1399448607+build-helper[bot]@users.noreply.forge.example","author_date":1648152638,"committer_email":"1399448607+build-helper[bot]@users.noreply.forge.example","committer_date":1648152638,"message":"Bump lodash from 7.10.12 to 5.4.2"'),
	(28, 'f24b52e3e865a344e52222f5cf409ab64bc8d035', 1600365974, 1600365974, 'id:713563259', NULL, 2, 1, '"commit_hash":"f24b52e3e865a344e52222f5cf409ab64bc8d035","author_email":"713563259+SannaCastillo@users.noreply.forge.example","author_date":1600365974,"committer_email":"713563259+SannaCastillo@users.noreply.forge.example","committer_date":1600365974,"message":"feat(sidebar): support login\n\n- handles the empty case\n- adds a test\n- drops the workaround"'),
	(28, 'b649d587c6e1e213aa1157ec435c83f5dafdc00f', NULL, 1633959926, 'email:HIVERSEN+FORGE@EXAMPLE.COM', NULL, 1, 1, '"commit_hash":"b649d587c6e1e213aa1157ec435c83f5dafdc00f","author_email":"hiversen+forge@example.com","author_date":1633959926,"committer_email":"hiversen+forge@example.com","committer_date":null,"message":"Merge pull request #783 from tests-fix"'),
	(28, '36ae5494543dcda7bdeb9c851938a35288ecf7d0', 1673092366, 1673092366, 'email:HIVERSEN+FORGE@EXAMPLE.COM', '{email:LOKAFOR@EXAMPLE.ORG}', 3, 1, '"commit_hash":"36ae5494543dcda7bdeb9c851938a35288ecf7d0","author_email":"hiversen+forge@example.com","author_date":1673092366,"committer_email":"hiversen+forge@example.com","committer_date":1673092366,"message":"fix: parser when header is empty\n\nCo-authored-by: A contributor <lokafor@example.org>"'),
	(30, 'e43759962b688f440b3dc6f146ffd0cc96eaed1a', 1682556672, 1682556672, 'id:1006815023', NULL, 1, 1, '"commit_hash":"e43759962b688f440b3dc6f146ffd0cc96eaed1a","author_email":"1006815023+KarimBecker@users.noreply.forge.example","author_date":1682556672,"committer_email":"1006815023+KarimBecker@users.noreply.forge.example","committer_date":1682556672,"message":"feat(changelog): support parser (#107)"');


--
-- Data for Name: contributions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.contributions VALUES
	('login:ADASILVA', 9, 'owner', NULL, NULL, true),
	('login:ANDERSSON-DEV', 12, 'owner', NULL, NULL, true),
	('login:BJORN-ZIMMERMANN', 6, 'owner', NULL, NULL, true),
	('login:FOXGLOVE-COLLECTIVE', 2, 'owner', NULL, NULL, true),
	('login:GABRIELA-TREMBLAY', 13, 'owner', NULL, NULL, true),
	('login:HIVERSEN', 28, 'owner', NULL, NULL, true),
	('login:KARIMBECKER', 27, 'owner', NULL, NULL, true),
	('login:KARIMBECKER', 30, 'owner', NULL, NULL, true),
	('login:KATARINAMOHAMED', 29, 'owner', NULL, NULL, true),
	('login:KOWALSKI-DEV', 16, 'owner', NULL, NULL, true),
	('login:KOWALSKI-DEV', 19, 'owner', NULL, NULL, true),
	('login:LINH-CODES', 4, 'owner', NULL, NULL, true),
	('login:MADSBARBOSA', 25, 'owner', NULL, NULL, true),
	('login:MADSPETROV', 5, 'owner', NULL, NULL, true),
	('login:MAJA-CODES', 8, 'owner', NULL, NULL, true),
	('login:MULLER-DEV', 11, 'owner', NULL, NULL, true),
	('login:NALEDI-CODES', 21, 'owner', NULL, NULL, true),
	('login:NKOVACS', 15, 'owner', NULL, NULL, true),
	('login:NSCHAFER', 17, 'owner', NULL, NULL, true),
	('login:RAFAEL-ROSSI', 3, 'owner', NULL, NULL, true),
	('login:RAVI5', 24, 'owner', NULL, NULL, true),
	('login:RHADDAD', 10, 'owner', NULL, NULL, true),
	('login:RHADDAD', 26, 'owner', NULL, NULL, true),
	('login:SIMA-LEVI', 22, 'owner', NULL, NULL, true),
	('login:TOMAS-JANSEN', 23, 'owner', NULL, NULL, true),
	('login:UMABAKKER', 1, 'owner', NULL, NULL, true),
	('login:UMABAKKER', 7, 'owner', NULL, NULL, true),
	('login:XIAOMING-W', 20, 'owner', NULL, NULL, true),
	('login:YARROW-COLLECTIVE', 18, 'owner', NULL, NULL, true),
	('login:ZSOFIAMOREAU', 14, 'owner', NULL, NULL, true),
	('email:ME@TOMAS-JANSEN.EXAMPLE', 23, 'author', 1510728443, 1510728443, false),
	('id:617998682', 13, 'author', 1444831795, 1444831795, false),
	('email:MAJA-CODES@MAIL.EXAMPLE', 8, 'author', 1598130042, 1660043903, false),
	('email:J.DOE@OLD-EMPLOYER.EXAMPLE', 14, 'author', 1624778389, 1624778389, false),
	('email:LOKAFOR@EXAMPLE.ORG', 28, 'author', 1673092366, 1673092366, false),
	('email:ME@CHIARA-CODES.EXAMPLE', 18, 'author', 1642429253, 1724135217, false),
	('email:ESRAKOVACS@MAIL.EXAMPLE', 13, 'author', 1435679092, 1460039721, false),
	('email:ME@RAVI-CODES.EXAMPLE', 17, 'author', 1730235615, 1730235615, false),
	('id:487086945', 18, 'author', 1712146948, 1712146948, false),
	('email:ME@ADASILVA.EXAMPLE', 9, 'author', 1554203355, 1569470168, false),
	('email:J.DOE@OLD-EMPLOYER.EXAMPLE', 20, 'author', 1675984317, 1675984317, false),
	('id:1399448607', 14, 'author', 1621250412, 1621250412, false),
	('email:HIVERSEN+FORGE@EXAMPLE.COM', 28, 'author', 1633959926, 1673092366, false),
	('id:1399448607', 15, 'author', 1692934418, 1702234394, false),
	('id:1657462707', 10, 'author', 1698762009, 1703765636, false),
	('email:GABRIELA-TREMBLAY@EXAMPLE.NET', 13, 'author', 1438336924, 1461377331, false),
	('email:NSCHAFER@EXAMPLE.ORG', 17, 'author', 1730396595, 1730623315, false),
	('email:RAVI5+FORGE@EXAMPLE.COM', 24, 'author', 1729699475, 1735924359, false),
	('id:978788679', 15, 'author', 1689691182, 1696615662, false),
	('email:SSINGH@EXAMPLE.COM', 8, 'author', 1636148829, 1636148829, false),
	('email:ME@BEATRIZANDERSSON.EXAMPLE', 2, 'author', 1392294621, 1668739779, false),
	('id:1399448607', 17, 'author', 1730304417, 1730304417, false),
	('id:713563259', 12, 'author', 1732711025, 1735142345, false),
	('email:LOKAFOR@EXAMPLE.ORG', 13, 'author', 1447995772, 1447995772, false),
	('id:713563259', 28, 'author', 1600365974, 1600365974, false),
	('email:ME@ANDERSSON-DEV.EXAMPLE', 12, 'author', 1737608360, 1737608360, false),
	('email:SIMA-LEVI+FORGE@EXAMPLE.COM', 22, 'author', 1736705676, 1736705676, false),
	('email:MULLER-DEV+FORGE@EXAMPLE.COM', 11, 'author', 1671645040, 1671645040, false),
	('email:LIAMWEBER@EXAMPLE.NET', 11, 'author', 1572576735, 1603560841, false),
	('id:978788679', 17, 'author', 1730527656, 1730527656, false),
	('id:1399448607', 26, 'author', 1648152638, 1648152638, false),
	('id:1399448607', 11, 'author', 1615989481, 1615989481, false),
	('id:2346409312', 1, 'author', 1748048068, 1748048068, false),
	('id:1399448607', 16, 'author', 1695144567, 1726413207, false),
	('id:942602244', 21, 'author', 1495913454, 1495913454, false),
	('id:1657559388', 9, 'author', 1520204949, 1520204949, false),
	('id:2346409312', 7, 'author', 1730829276, 1731217223, false),
	('email:ZSOFIAMOREAU+FORGE@EXAMPLE.COM', 14, 'author', 1619487881, 1627851741, false),
	('email:NADIA-CODES@EXAMPLE.ORG', 9, 'author', 1532828783, 1532828783, false),
	('id:1006815023', 30, 'author', 1682556672, 1682556672, false),
	('email:NKOVACS@MAIL.EXAMPLE', 15, 'author', 1685287907, 1707900696, false),
	('email:RHADDAD@EXAMPLE.NET', 10, 'author', 1692512078, 1706868720, false),
	('id:1999648078', 11, 'author', 1550797589, 1550797589, false),
	('id:1399448607', 2, 'author', 1646215378, 1646215378, false),
	('id:1399448607', 21, 'author', 1489937631, 1489937631, false);


--
-- Data for Name: coverage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.coverage VALUES
	(true, '{"dependencies":165,"user_fields":{"name":0.8655,"email":0.6975,"avatar_url":0.9412,"company":0.5462,"location":0.7563,"bio":0.5126},"countries":[{"country":"DE","users":24},{"country":"BR","users":10},{"country":"US","users":10},{"country":"GB","users":7},{"country":"JP","users":5},{"country":"CA","users":3},{"country":"CH","users":3},{"country":"ES","users":3},{"country":"NG","users":3},{"country":"PL","users":3},{"country":"IN","users":2},{"country":"AR","users":1},{"country":"AU","users":1},{"country":"DK","users":1},{"country":"EG","users":1},{"country":"FR","users":1},{"country":"KE","users":1},{"country":"KR","users":1},{"country":"MX","users":1},{"country":"NL","users":1}],"languages":[{"language":"Python","repositories":8},{"language":"TypeScript","repositories":8},{"language":"Go","repositories":4},{"language":"Ruby","repositories":4},{"language":"JavaScript","repositories":3},{"language":"C","repositories":1},{"language":"Java","repositories":1},{"language":"PHP","repositories":1}],"manifests":[{"dependency_file":"package.json","users":9,"repositories":16},{"dependency_file":"pyproject.toml","users":2,"repositories":8},{"dependency_file":"Gemfile","users":2,"repositories":4},{"dependency_file":"go.mod","users":1,"repositories":4},{"dependency_file":"composer.json","users":1,"repositories":1},{"dependency_file":"pom.xml","users":1,"repositories":1},{"dependency_file":"requirements.txt","users":0,"repositories":5}],"packages":[{"dependency_name":"react","dependency_file":"package.json","users":7,"repositories":9},{"dependency_name":"typescript","dependency_file":"package.json","users":6,"repositories":10},{"dependency_name":"lodash","dependency_file":"package.json","users":5,"repositories":9},{"dependency_name":"vitest","dependency_file":"package.json","users":4,"repositories":9},{"dependency_name":"prettier","dependency_file":"package.json","users":3,"repositories":6},{"dependency_name":"eslint","dependency_file":"package.json","users":3,"repositories":4},{"dependency_name":"socket.io","dependency_file":"package.json","users":3,"repositories":3},{"dependency_name":"express","dependency_file":"package.json","users":2,"repositories":6},{"dependency_name":"flask","dependency_file":"pyproject.toml","users":2,"repositories":4},{"dependency_name":"pg","dependency_file":"Gemfile","users":2,"repositories":3},{"dependency_name":"rspec","dependency_file":"Gemfile","users":2,"repositories":3}]}');


--
-- Data for Name: dataset; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.dataset VALUES
	(true, 2, '2026-11-28 01:43:21.874924+00', '32bddfd3-0866-4655-90f6-47f3aea75e22', 119, 30, 90, 120, 30, 0, '5J45D13SvsqN/fdx+wGE89jTilIGfPRrNEHaBuv/V4s=');


--
-- Data for Name: dataset_versions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.dataset_versions VALUES
	(0, 1, '2026-11-28 01:43:19.279778+00'),
	(1, 464, '2026-11-28 01:43:21.428891+00'),
	(2, 465, '2026-11-28 01:43:21.874297+00');


--
-- Data for Name: dependencies; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.dependencies VALUES
	(274, 'postcss', 'POSTCSS', 'package.json', 'removed', 246, 0, 1, true, true),
	(278, 'pg', 'PG', 'package.json', 'active', 244, 1, 4, true, true),
	(281, 'express', 'EXPRESS', 'package.json', 'active', 244, 1, 5, true, true),
	(289, '@types/react', '@TYPES/REACT', 'package.json', 'active', 244, 0, 2, true, true),
	(293, 'rxjs', 'RXJS', 'package.json', 'active', 244, 0, 1, true, true),
	(306, 'pg', 'PG', 'Gemfile', 'active', 242, 2, 3, true, true),
	(325, 'rspec', 'RSPEC', 'Gemfile', 'active', 242, 1, 2, true, true),
	(298, 'vitest', 'VITEST', 'package.json', 'removed', 246, 0, 1, true, true),
	(299, 'typescript', 'TYPESCRIPT', 'package.json', 'active', 244, 5, 9, true, true),
	(301, 'uuid', 'UUID', 'package.json', 'active', 244, 0, 2, true, true),
	(309, '@prisma/client', '@PRISMA/CLIENT', 'package.json', 'removed', 246, 0, 1, true, true),
	(315, 'svelte', 'SVELTE', 'package.json', 'active', 244, 0, 2, true, true),
	(297, 'flask', 'python:FLASK', 'pyproject.toml', 'active', 248, 2, 4, true, true),
	(300, 'dotenv', 'DOTENV', 'package.json', 'active', 244, 0, 2, true, true),
	(394, 'glob', 'GLOB', 'package.json', 'active', 244, 0, 2, true, true),
	(384, 'postcss', 'POSTCSS', 'package.json', 'active', 244, 0, 2, true, true),
	(391, 'devise', 'DEVISE', 'Gemfile', 'active', 242, 2, 2, true, true),
	(388, 'go.uber.org/zap', 'GO.UBER.ORG/ZAP', 'go.mod', 'active', 245, 1, 2, true, true),
	(389, 'fastapi', 'python:FASTAPI', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(396, 'click', 'python:CLICK', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(386, 'socket.io', 'SOCKET.IO', 'package.json', 'active', 244, 3, 3, true, true),
	(393, 'capybara', 'CAPYBARA', 'Gemfile', 'active', 242, 1, 1, true, true),
	(395, 'husky', 'HUSKY', 'package.json', 'active', 244, 0, 1, true, true),
	(387, 'sqlalchemy', 'python:SQLALCHEMY', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(390, 'tox', 'python:TOX', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(385, 'zustand', 'ZUSTAND', 'package.json', 'active', 244, 1, 1, true, true),
	(392, 'marshmallow', 'python:MARSHMALLOW', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(352, 'prettier', 'PRETTIER', 'package.json', 'active', 244, 2, 5, true, true),
	(359, 'sinon', 'SINON', 'package.json', 'active', 244, 0, 1, true, true),
	(400, 'vue', 'VUE', 'package.json', 'active', 244, 0, 1, true, true),
	(405, 'zod', 'ZOD', 'package.json', 'active', 244, 0, 2, true, true),
	(411, 'gunicorn', 'python:GUNICORN', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(431, 'rich', 'python:RICH', 'requirements.txt', 'removed', 247, 0, 1, true, true),
	(441, 'three', 'THREE', 'package.json', 'active', 244, 0, 1, true, true),
	(404, 'aiohttp', 'python:AIOHTTP', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(409, 'vite', 'VITE', 'package.json', 'active', 244, 0, 3, true, true),
	(426, 'numpy', 'python:NUMPY', 'pyproject.toml', 'active', 248, 0, 3, true, true),
	(424, 'winston', 'WINSTON', 'package.json', 'active', 244, 1, 2, true, true),
	(428, 'monolog/monolog', 'MONOLOG/MONOLOG', 'composer.json', 'active', 250, 1, 1, true, true),
	(427, 'puma', 'PUMA', 'Gemfile', 'active', 242, 2, 2, true, true),
	(439, 'jekyll', 'JEKYLL', 'Gemfile', 'removed', 252, 1, 1, true, true),
	(413, 'golang.org/x/sync', 'GOLANG.ORG/X/SYNC', 'go.mod', 'active', 245, 0, 1, true, true),
	(415, 'github.com/redis/go-redis/v9', 'GITHUB.COM/REDIS/GO-REDIS/V9', 'go.mod', 'active', 245, 0, 1, true, true),
	(418, 'gorm.io/gorm', 'GORM.IO/GORM', 'go.mod', 'active', 245, 0, 1, true, true),
	(420, 'github.com/google/go-cmp', 'GITHUB.COM/GOOGLE/GO-CMP', 'go.mod', 'active', 245, 0, 1, true, true),
	(433, 'github.com/prometheus/client_golang', 'GITHUB.COM/PROMETHEUS/CLIENT_GOLANG', 'go.mod', 'active', 245, 0, 1, true, true),
	(436, 'github.com/gorilla/mux', 'GITHUB.COM/GORILLA/MUX', 'go.mod', 'active', 245, 1, 3, true, true),
	(437, 'github.com/labstack/echo/v4', 'GITHUB.COM/LABSTACK/ECHO/V4', 'go.mod', 'active', 245, 0, 2, true, true),
	(440, 'github.com/rs/zerolog', 'GITHUB.COM/RS/ZEROLOG', 'go.mod', 'active', 245, 1, 2, true, true),
	(443, 'github.com/BurntSushi/toml', 'GITHUB.COM/BURNTSUSHI/TOML', 'go.mod', 'removed', 243, 0, 1, true, true),
	(397, 'boto3', 'python:BOTO3', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(453, 'laravel/framework', 'LARAVEL/FRAMEWORK', 'composer.json', 'active', 250, 1, 1, true, true),
	(402, 'pytest-cov', 'python:PYTEST-COV', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(410, 'jinja2', 'python:JINJA2', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(421, 'pandas', 'python:PANDAS', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(423, 'sqlalchemy', 'python:SQLALCHEMY', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(422, 'fastify', 'FASTIFY', 'package.json', 'active', 244, 2, 2, true, true),
	(434, 'nodemon', 'NODEMON', 'package.json', 'removed', 246, 1, 2, true, true),
	(419, 'scipy', 'python:SCIPY', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(430, 'pytest', 'python:PYTEST', 'requirements.txt', 'active', 240, 0, 3, true, true),
	(435, 'transformers', 'python:TRANSFORMERS', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(444, 'scipy', 'python:SCIPY', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(447, 'selenium', 'python:SELENIUM', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(450, 'pandas', 'python:PANDAS', 'requirements.txt', 'removed', 247, 0, 2, true, true),
	(452, 'mypy', 'python:MYPY', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(412, 'simplecov', 'SIMPLECOV', 'Gemfile', 'active', 242, 1, 1, true, true),
	(445, 'jekyll', 'JEKYLL', 'Gemfile', 'active', 242, 0, 1, true, true),
	(451, 'rake', 'RAKE', 'Gemfile', 'removed', 252, 1, 1, true, true),
	(429, '@babel/core', '@BABEL/CORE', 'package.json', 'active', 244, 0, 2, true, true),
	(399, 'ts-node', 'TS-NODE', 'package.json', 'active', 244, 0, 1, true, true),
	(403, '@types/react', '@TYPES/REACT', 'package.json', 'removed', 246, 0, 1, true, true),
	(432, 'webpack', 'WEBPACK', 'package.json', 'active', 244, 0, 1, true, true),
	(449, 'playwright', 'PLAYWRIGHT', 'package.json', 'active', 244, 2, 2, true, true),
	(406, 'tox', 'python:TOX', 'requirements.txt', 'active', 240, 0, 2, true, true),
	(438, 'tensorflow', 'python:TENSORFLOW', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(398, 'hono', 'HONO', 'package.json', 'active', 244, 0, 1, true, true),
	(417, 'graphql', 'GRAPHQL', 'package.json', 'active', 244, 1, 2, true, true),
	(446, 'golang.org/x/sync', 'GOLANG.ORG/X/SYNC', 'go.mod', 'removed', 243, 1, 2, true, true),
	(401, 'org.springframework.boot:spring-boot-starter-web', 'ORG.SPRINGFRAMEWORK.BOOT:SPRING-BOOT-STARTER-WEB', 'pom.xml', 'removed', 241, 1, 1, true, true),
	(425, 'typescript', 'TYPESCRIPT', 'package.json', 'removed', 246, 1, 1, true, true),
	(414, 'github.com/spf13/viper', 'GITHUB.COM/SPF13/VIPER', 'go.mod', 'removed', 243, 0, 1, true, true),
	(442, 'k8s.io/client-go', 'K8S.IO/CLIENT-GO', 'go.mod', 'removed', 243, 0, 1, true, true),
	(408, 'mypy', 'python:MYPY', 'requirements.txt', 'removed', 247, 0, 1, true, true),
	(416, 'pytest-cov', 'python:PYTEST-COV', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(407, 'scikit-learn', 'python:SCIKIT-LEARN', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(448, 'marshmallow', 'python:MARSHMALLOW', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(364, 'classnames', 'CLASSNAMES', 'package.json', 'active', 244, 0, 1, true, true),
	(365, 'lodash', 'LODASH', 'package.json', 'active', 244, 4, 6, true, true),
	(377, 'react', 'REACT', 'package.json', 'removed', 246, 3, 5, true, true),
	(382, 'ws', 'WS', 'package.json', 'active', 244, 0, 2, true, true),
	(266, 'eslint', 'ESLINT', 'package.json', 'active', 244, 3, 4, true, true),
	(267, 'bcrypt', 'BCRYPT', 'package.json', 'active', 244, 0, 1, true, true),
	(290, 'black', 'python:BLACK', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(304, 'requests', 'python:REQUESTS', 'pyproject.toml', 'active', 248, 1, 6, true, true),
	(311, 'httpx', 'python:HTTPX', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(319, 'lint-staged', 'LINT-STAGED', 'package.json', 'removed', 246, 0, 1, true, true),
	(322, 'jest', 'JEST', 'package.json', 'active', 244, 1, 4, true, true),
	(326, 'react-router-dom', 'REACT-ROUTER-DOM', 'package.json', 'active', 244, 1, 3, true, true),
	(333, 'styled-components', 'STYLED-COMPONENTS', 'package.json', 'removed', 246, 1, 2, true, true),
	(336, 'yargs', 'YARGS', 'package.json', 'removed', 246, 0, 1, true, true);
INSERT INTO public.dependencies VALUES
	(373, 'vitest', 'VITEST', 'package.json', 'active', 244, 4, 8, true, true),
	(381, 'dayjs', 'DAYJS', 'package.json', 'active', 244, 0, 1, true, true),
	(312, 'vlucas/phpdotenv', 'VLUCAS/PHPDOTENV', 'composer.json', 'removed', 251, 1, 1, true, true),
	(342, 'symfony/console', 'SYMFONY/CONSOLE', 'composer.json', 'active', 250, 1, 1, true, true),
	(256, 'minitest', 'MINITEST', 'Gemfile', 'active', 242, 1, 1, true, true),
	(257, 'bootsnap', 'BOOTSNAP', 'Gemfile', 'active', 242, 2, 2, true, true),
	(261, 'simplecov', 'SIMPLECOV', 'Gemfile', 'removed', 252, 1, 1, true, true),
	(270, 'nokogiri', 'NOKOGIRI', 'Gemfile', 'active', 242, 2, 2, true, true),
	(273, 'rails', 'RAILS', 'Gemfile', 'active', 242, 2, 2, true, true),
	(277, 'rake', 'RAKE', 'Gemfile', 'active', 242, 1, 1, true, true),
	(279, 'factory_bot_rails', 'FACTORY_BOT_RAILS', 'Gemfile', 'active', 242, 2, 2, true, true),
	(292, 'rubocop', 'RUBOCOP', 'Gemfile', 'active', 242, 2, 2, true, true),
	(294, 'faker', 'FAKER', 'Gemfile', 'active', 242, 2, 2, true, true),
	(305, 'capybara', 'CAPYBARA', 'Gemfile', 'removed', 252, 1, 1, true, true),
	(314, 'dotenv', 'DOTENV', 'Gemfile', 'active', 242, 2, 2, true, true),
	(331, 'redis', 'REDIS', 'Gemfile', 'active', 242, 2, 2, true, true),
	(335, 'jbuilder', 'JBUILDER', 'Gemfile', 'active', 242, 2, 2, true, true),
	(339, 'sinatra', 'SINATRA', 'Gemfile', 'active', 242, 2, 2, true, true),
	(346, 'rspec', 'RSPEC', 'Gemfile', 'removed', 252, 1, 1, true, true),
	(351, 'rspec-rails', 'RSPEC-RAILS', 'Gemfile', 'active', 242, 2, 2, true, true),
	(363, 'sidekiq', 'SIDEKIQ', 'Gemfile', 'active', 242, 2, 2, true, true),
	(378, 'rack', 'RACK', 'Gemfile', 'removed', 252, 2, 2, true, true),
	(258, 'k8s.io/api', 'K8S.IO/API', 'go.mod', 'removed', 243, 0, 1, true, true),
	(260, 'github.com/stretchr/testify', 'GITHUB.COM/STRETCHR/TESTIFY', 'go.mod', 'active', 245, 1, 3, true, true),
	(263, 'github.com/go-chi/chi/v5', 'GITHUB.COM/GO-CHI/CHI/V5', 'go.mod', 'active', 245, 1, 2, true, true),
	(276, 'gopkg.in/yaml.v3', 'GOPKG.IN/YAML.V3', 'go.mod', 'active', 245, 0, 2, true, true),
	(280, 'github.com/jackc/pgx/v5', 'GITHUB.COM/JACKC/PGX/V5', 'go.mod', 'removed', 243, 1, 2, true, true),
	(282, 'google.golang.org/protobuf', 'GOOGLE.GOLANG.ORG/PROTOBUF', 'go.mod', 'removed', 243, 0, 1, true, true),
	(285, 'golang.org/x/text', 'GOLANG.ORG/X/TEXT', 'go.mod', 'active', 245, 0, 1, true, true),
	(288, 'github.com/sirupsen/logrus', 'GITHUB.COM/SIRUPSEN/LOGRUS', 'go.mod', 'active', 245, 0, 1, true, true),
	(317, 'github.com/gin-gonic/gin', 'GITHUB.COM/GIN-GONIC/GIN', 'go.mod', 'active', 245, 1, 2, true, true),
	(318, 'github.com/pkg/errors', 'GITHUB.COM/PKG/ERRORS', 'go.mod', 'removed', 243, 0, 1, true, true),
	(320, 'github.com/fsnotify/fsnotify', 'GITHUB.COM/FSNOTIFY/FSNOTIFY', 'go.mod', 'active', 245, 0, 1, true, true),
	(324, 'github.com/spf13/viper', 'GITHUB.COM/SPF13/VIPER', 'go.mod', 'active', 245, 0, 1, true, true),
	(332, 'github.com/spf13/cobra', 'GITHUB.COM/SPF13/COBRA', 'go.mod', 'removed', 243, 1, 2, true, true),
	(348, 'k8s.io/client-go', 'K8S.IO/CLIENT-GO', 'go.mod', 'active', 245, 1, 2, true, true),
	(358, 'golang.org/x/net', 'GOLANG.ORG/X/NET', 'go.mod', 'active', 245, 0, 1, true, true),
	(372, 'google.golang.org/grpc', 'GOOGLE.GOLANG.ORG/GRPC', 'go.mod', 'removed', 243, 0, 1, true, true),
	(376, 'golang.org/x/crypto', 'GOLANG.ORG/X/CRYPTO', 'go.mod', 'removed', 243, 0, 1, true, true),
	(265, 'typer', 'python:TYPER', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(269, 'matplotlib', 'python:MATPLOTLIB', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(272, 'ruff', 'python:RUFF', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(295, 'uvicorn', 'python:UVICORN', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(316, 'pytest', 'python:PYTEST', 'pyproject.toml', 'active', 248, 1, 4, true, true),
	(323, 'django', 'python:DJANGO', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(355, 'scipy', 'python:SCIPY', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(361, 'selenium', 'python:SELENIUM', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(368, 'numpy', 'python:NUMPY', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(259, 'next', 'NEXT', 'package.json', 'active', 244, 1, 2, true, true),
	(264, 'valibot', 'VALIBOT', 'package.json', 'active', 244, 1, 2, true, true),
	(275, '@types/node', '@TYPES/NODE', 'package.json', 'active', 244, 2, 2, true, true),
	(307, 'prettier', 'PRETTIER', 'package.json', 'removed', 246, 1, 1, true, true),
	(340, 'hono', 'HONO', 'package.json', 'removed', 246, 1, 1, true, true),
	(327, 'mypy', 'python:MYPY', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(362, 'requests', 'python:REQUESTS', 'requirements.txt', 'active', 240, 0, 4, true, true),
	(303, 'turbo-rails', 'TURBO-RAILS', 'Gemfile', 'active', 242, 1, 2, true, true),
	(350, 'minitest', 'MINITEST', 'Gemfile', 'removed', 252, 1, 1, true, true),
	(334, 'python-dotenv', 'python:PYTHON-DOTENV', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(343, 'celery', 'python:CELERY', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(371, 'pydantic', 'python:PYDANTIC', 'pyproject.toml', 'active', 248, 0, 2, true, true),
	(268, 'tailwindcss', 'TAILWINDCSS', 'package.json', 'active', 244, 1, 4, true, true),
	(308, 'redis', 'REDIS', 'package.json', 'active', 244, 0, 1, true, true),
	(310, 'react', 'REACT', 'package.json', 'active', 244, 4, 4, true, true),
	(330, 'lodash', 'LODASH', 'package.json', 'removed', 246, 1, 3, true, true),
	(347, 'immer', 'IMMER', 'package.json', 'active', 244, 0, 2, true, true),
	(287, 'react-dom', 'REACT-DOM', 'package.json', 'removed', 246, 0, 1, true, true),
	(296, 'prisma', 'PRISMA', 'package.json', 'active', 244, 0, 1, true, true),
	(366, '@tanstack/react-query', '@TANSTACK/REACT-QUERY', 'package.json', 'active', 244, 0, 1, true, true),
	(370, 'classnames', 'CLASSNAMES', 'package.json', 'removed', 246, 0, 1, true, true),
	(379, 'pino', 'PINO', 'package.json', 'active', 244, 0, 1, true, true),
	(284, 'PyYAML', 'python:PYYAML', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(329, 'django', 'python:DJANGO', 'requirements.txt', 'active', 240, 0, 2, true, true),
	(344, 'rich', 'python:RICH', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(345, 'numpy', 'python:NUMPY', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(354, 'httpx', 'python:HTTPX', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(369, 'pydantic', 'python:PYDANTIC', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(283, 'httpx', 'python:HTTPX', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(291, 'redis', 'python:REDIS', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(302, 'pandas', 'python:PANDAS', 'pyproject.toml', 'active', 248, 1, 2, true, true),
	(341, 'requests', 'python:REQUESTS', 'pyproject.toml', 'removed', 253, 0, 1, true, true),
	(356, 'black', 'python:BLACK', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(374, 'grpcio', 'python:GRPCIO', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(375, 'pyyaml', 'python:PYYAML', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(262, 'chalk', 'CHALK', 'package.json', 'active', 244, 1, 1, true, true),
	(286, 'semver', 'SEMVER', 'package.json', 'active', 244, 1, 1, true, true),
	(338, 'mongoose', 'MONGOOSE', 'package.json', 'active', 244, 1, 1, true, true),
	(349, 'jsonwebtoken', 'JSONWEBTOKEN', 'package.json', 'active', 244, 1, 1, true, true),
	(380, 'express', 'EXPRESS', 'package.json', 'removed', 246, 1, 1, true, true),
	(271, 'github.com/labstack/echo/v4', 'GITHUB.COM/LABSTACK/ECHO/V4', 'go.mod', 'removed', 243, 1, 1, true, true),
	(353, 'github.com/BurntSushi/toml', 'GITHUB.COM/BURNTSUSHI/TOML', 'go.mod', 'active', 245, 1, 1, true, true),
	(357, 'google.golang.org/grpc', 'GOOGLE.GOLANG.ORG/GRPC', 'go.mod', 'active', 245, 1, 1, true, true),
	(383, 'golang.org/x/net', 'GOLANG.ORG/X/NET', 'go.mod', 'removed', 243, 1, 1, true, true),
	(367, 'com.fasterxml.jackson.core:jackson-databind', 'COM.FASTERXML.JACKSON.CORE:JACKSON-DATABIND', 'pom.xml', 'active', 249, 1, 1, true, true),
	(328, '@prisma/client', '@PRISMA/CLIENT', 'package.json', 'active', 244, 1, 1, true, true),
	(313, 'Flask', 'python:FLASK', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(321, 'pydantic', 'python:PYDANTIC', 'requirements.txt', 'removed', 247, 0, 1, true, true),
	(337, 'black', 'python:BLACK', 'requirements.txt', 'active', 240, 0, 1, true, true),
	(360, 'scikit-learn', 'python:SCIKIT-LEARN', 'pyproject.toml', 'active', 248, 0, 1, true, true),
	(242, '', '', 'Gemfile', 'active', NULL, 2, 4, true, true),
	(240, '', '', 'requirements.txt', 'active', NULL, 0, 5, true, true);
INSERT INTO public.dependencies VALUES
	(244, '', '', 'package.json', 'active', NULL, 9, 16, true, true),
	(246, '', '', 'package.json', 'removed', NULL, 4, 7, true, true),
	(247, '', '', 'requirements.txt', 'removed', NULL, 0, 4, true, true),
	(248, '', '', 'pyproject.toml', 'active', NULL, 2, 8, true, true),
	(253, '', '', 'pyproject.toml', 'removed', NULL, 0, 3, true, true),
	(250, '', '', 'composer.json', 'active', NULL, 1, 1, true, true),
	(251, '', '', 'composer.json', 'removed', NULL, 1, 1, true, true),
	(252, '', '', 'Gemfile', 'removed', NULL, 2, 2, true, true),
	(243, '', '', 'go.mod', 'removed', NULL, 1, 4, true, true),
	(245, '', '', 'go.mod', 'active', NULL, 1, 4, true, true),
	(255, 'github.com/google/uuid', 'GITHUB.COM/GOOGLE/UUID', 'go.mod', 'active', 245, 1, 3, true, true),
	(254, 'yargs', 'YARGS', 'package.json', 'active', 244, 0, 1, true, true),
	(241, '', '', 'pom.xml', 'removed', NULL, 1, 1, true, true),
	(249, '', '', 'pom.xml', 'active', NULL, 1, 1, true, true);


--
-- Data for Name: forge_repositories; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: forgotten_identities; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: forgotten_identities_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: forgotten_people; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: grant_references; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identities VALUES
	('email:ADALINDGREN+FORGE@EXAMPLE.COM', 36, false),
	('email:BEATRIZERIKSEN@EXAMPLE.ORG', 66, false),
	('email:CHIARASTRAND+FORGE@EXAMPLE.COM', 79, false),
	('email:DEMIR-DEV+FORGE@EXAMPLE.COM', 52, false),
	('email:DIEGO-MARCHETTI@MAIL.EXAMPLE', 34, false),
	('email:DIEGO74+FORGE@EXAMPLE.COM', 81, false),
	('email:DIEGOSILVA@EXAMPLE.ORG', 94, false),
	('email:EJANSEN@EXAMPLE.COM', 88, false),
	('email:ELIFLOPES@EXAMPLE.NET', 104, false),
	('email:EMIL-CODES@MAIL.EXAMPLE', 90, false),
	('email:ESRAKOVACS@MAIL.EXAMPLE', 49, false),
	('email:FATIMATREMBLAY@EXAMPLE.ORG', 21, false),
	('email:GABRIELANOVAK@MAIL.EXAMPLE', 10, false),
	('email:HADDAD-DEV+FORGE@EXAMPLE.COM', 118, false),
	('email:HAKONGARCIA@EXAMPLE.COM', 4, false),
	('email:HANNAH-CODES@EXAMPLE.NET', 97, false),
	('email:HELLO@EVERGLEN-WORKS.EXAMPLE', 60, false),
	('email:HELLO@HALCYON-WORKS.EXAMPLE', 115, false),
	('email:HELLO@LANTERNFISH-FOUNDATION.EXAMPLE', 70, false),
	('email:HELLO@MARIGOLD-LAB.EXAMPLE', 43, false),
	('email:HELLO@ROOKERY-COLLECTIVE.EXAMPLE', 75, false),
	('email:HELLO@SALTMARSH-LAB.EXAMPLE', 53, false),
	('email:HELLO@TIDEWATER-WORKS.EXAMPLE', 108, false),
	('email:HELLO@VELVETLEAF-LAB.EXAMPLE', 82, false),
	('email:HELLO@YARROW-COLLECTIVE.EXAMPLE', 9, false),
	('email:JAKUB-BAKKER@EXAMPLE.ORG', 37, false),
	('email:JAKUBZIMMERMANN@EXAMPLE.COM', 64, false),
	('email:JOAOSILVA@MAIL.EXAMPLE', 5, false),
	('email:JUANJANSEN@EXAMPLE.ORG', 112, false),
	('email:KMULLER@EXAMPLE.COM', 106, false),
	('email:LEA-CODES@EXAMPLE.NET', 44, false),
	('email:LEA39@EXAMPLE.ORG', 59, false),
	('email:LIAMKHUMALO@EXAMPLE.COM', 12, false),
	('email:LIAMWEBER@EXAMPLE.NET', 23, false),
	('email:LINDGREN-DEV+FORGE@EXAMPLE.COM', 32, false),
	('email:LINH-CODES@EXAMPLE.COM', 16, false),
	('email:LUCIA13@EXAMPLE.NET', 110, false),
	('email:MADSPETROV@EXAMPLE.ORG', 41, false),
	('email:ME@ADAGOLDBERG.EXAMPLE', 58, false),
	('email:ME@ADASILVA.EXAMPLE', 68, false),
	('email:ME@DILARA-JANSEN.EXAMPLE', 105, false),
	('email:ME@ELIF69.EXAMPLE', 48, false),
	('email:ME@EMIL70.EXAMPLE', 56, false),
	('email:ME@ERIKSEN-DEV.EXAMPLE', 107, false),
	('email:ME@HAKON48.EXAMPLE', 98, false),
	('email:ME@IPHAM.EXAMPLE', 22, false),
	('email:ME@LMENSAH.EXAMPLE', 78, false),
	('email:ME@MALIK-VIRTANEN.EXAMPLE', 51, false),
	('email:ME@MALIKBIANCHI.EXAMPLE', 57, false),
	('email:ME@NADIA79.EXAMPLE', 47, false),
	('email:ME@NILS-CODES.EXAMPLE', 76, false),
	('email:ME@OLIVER94.EXAMPLE', 69, false),
	('email:ME@SANNASATO.EXAMPLE', 38, false),
	('email:ME@TOMAS-JANSEN.EXAMPLE', 114, false),
	('email:ME@YUSUF-BAKKER.EXAMPLE', 95, false),
	('email:MGARCIA@EXAMPLE.COM', 102, false),
	('email:MINJUN-KIM+FORGE@EXAMPLE.COM', 46, false),
	('email:NALEDI-ABARA@EXAMPLE.COM', 67, false),
	('email:NALEDI-ROSSI@MAIL.EXAMPLE', 80, false),
	('email:NALEDINAKAMURA@EXAMPLE.NET', 8, false),
	('email:OMAR30@EXAMPLE.NET', 17, false),
	('email:PAULA74@EXAMPLE.NET', 20, false),
	('email:PRIYANOVAK@EXAMPLE.COM', 86, false),
	('email:PRIYASTRAND@EXAMPLE.COM', 63, false),
	('email:RAFAEL-NGUYEN@MAIL.EXAMPLE', 29, false),
	('email:RAVI-SCHAFER@EXAMPLE.ORG', 15, false),
	('email:RAVI5+FORGE@EXAMPLE.COM', 13, false),
	('email:REN310+FORGE@EXAMPLE.COM', 93, false),
	('email:RHADDAD@EXAMPLE.NET', 24, false),
	('email:ROSA97@EXAMPLE.ORG', 30, false),
	('email:SANNAHANSEN@EXAMPLE.COM', 62, false),
	('email:SIMA-LEVI+FORGE@EXAMPLE.COM', 19, false),
	('email:SOFIA12@EXAMPLE.ORG', 28, false),
	('email:SUZUKI-DEV@MAIL.EXAMPLE', 119, false),
	('email:TARIQHADDAD+FORGE@EXAMPLE.COM', 6, false),
	('email:UMAFISCHER@EXAMPLE.ORG', 101, false),
	('email:VALENTINA-TANAKA@EXAMPLE.NET', 50, false),
	('email:VIKTORNGUYEN@MAIL.EXAMPLE', 120, false),
	('email:VMENSAH@MAIL.EXAMPLE', 35, false),
	('email:YARA-CODES@EXAMPLE.ORG', 116, false),
	('email:YUSUF79@EXAMPLE.COM', 103, false),
	('email:ZHANG-DEV+FORGE@EXAMPLE.COM', 65, false),
	('email:ZJANSEN+FORGE@EXAMPLE.COM', 42, false),
	('id:1015469290', 68, false),
	('id:1027697997', 34, false),
	('id:1038779957', 74, false),
	('id:1083002855', 76, false),
	('id:1101301680', 62, false),
	('id:1130690363', 15, false),
	('id:1142075362', 39, false),
	('id:1159242254', 27, false),
	('id:1174800848', 101, false),
	('id:1196354707', 55, false),
	('id:1199649398', 119, false),
	('id:1203280798', 82, false),
	('id:1209133284', 12, false),
	('id:1217933881', 21, false),
	('id:1246561143', 84, false),
	('id:124865972', 81, false),
	('id:125651732', 93, false);
INSERT INTO public.identities VALUES
	('id:1276219157', 35, false),
	('id:1276906662', 95, false),
	('id:1344444966', 78, false),
	('id:1344840097', 52, false),
	('id:1352278020', 69, false),
	('id:1362532257', 72, false),
	('id:1385382641', 23, false),
	('id:1408064305', 13, false),
	('id:1419368513', 118, false),
	('id:1432272674', 67, false),
	('id:1439530227', 73, false),
	('id:144033079', 8, false),
	('id:1452808695', 26, false),
	('id:1480047027', 31, false),
	('id:1498153189', 115, false),
	('id:1510165620', 89, false),
	('id:1520878262', 80, false),
	('id:1525271839', 109, false),
	('id:1550944045', 29, false),
	('id:1591054302', 110, false),
	('id:1610449919', 17, false),
	('id:1635795125', 50, false),
	('id:1657559388', 92, false),
	('id:1663432581', 56, false),
	('id:1701635144', 65, false),
	('id:1711840705', 99, false),
	('id:173852039', 116, false),
	('id:1791854605', 70, false),
	('id:1819379775', 24, false),
	('id:186045305', 33, false),
	('id:1879653916', 11, false),
	('id:1882020767', 106, false),
	('id:1911612312', 61, false),
	('id:1950276957', 107, false),
	('id:1963584895', 60, false),
	('id:1967928690', 9, false),
	('id:198025314', 103, false),
	('id:1980323989', 94, false),
	('id:1981735753', 18, false),
	('id:2016065976', 86, false),
	('id:2041447984', 79, false),
	('id:2075975458', 16, false),
	('id:2134663435', 40, false),
	('id:214717487', 120, false),
	('id:2149696175', 30, false),
	('id:2179136043', 113, false),
	('id:2202753903', 64, false),
	('id:2239233337', 25, false),
	('id:2263741343', 58, false),
	('id:2288773045', 102, false),
	('id:2301323525', 88, false),
	('id:2307087511', 98, false),
	('id:2309110892', 1, false),
	('id:2318690480', 91, false),
	('id:2334091465', 53, false),
	('id:24962340', 42, false),
	('id:267962401', 75, false),
	('id:287268707', 32, false),
	('id:316935779', 105, false),
	('id:337537075', 90, false),
	('id:341327773', 4, false),
	('id:3430948', 97, false),
	('id:34873349', 63, false),
	('id:406385085', 43, false),
	('id:40646108', 5, false),
	('id:417830059', 41, false),
	('id:425676021', 77, false),
	('id:437013132', 28, false),
	('id:47453760', 49, false),
	('id:474600075', 22, false),
	('id:486414580', 47, false),
	('id:487086945', 96, false),
	('id:529860317', 19, false),
	('id:529900326', 59, false),
	('id:530936716', 7, false),
	('id:543638978', 54, false),
	('id:546433975', 66, false),
	('id:572956120', 87, false),
	('id:577149330', 3, false),
	('id:603103268', 108, false),
	('id:608417725', 111, false),
	('id:619946256', 71, false),
	('id:642839453', 45, false),
	('id:656865068', 10, false),
	('id:708303283', 83, false),
	('id:710915639', 57, false),
	('id:713563259', 14, false),
	('id:720818433', 114, false),
	('id:76275129', 51, false),
	('id:765289070', 20, false),
	('id:773482577', 37, false),
	('id:843206103', 36, false),
	('id:859190652', 112, false),
	('id:866312363', 104, false),
	('id:869890489', 6, false),
	('id:872761861', 117, false),
	('id:884831010', 85, false),
	('id:897194758', 38, false),
	('id:927407697', 100, false),
	('id:935932092', 48, false);
INSERT INTO public.identities VALUES
	('id:985206721', 46, false),
	('id:995972915', 44, false),
	('login:ADAGOLDBERG', 58, false),
	('login:ADALINDGREN', 36, false),
	('login:ADASILVA', 68, false),
	('login:ANDRE-CODES', 26, false),
	('login:BEATRIZERIKSEN', 66, false),
	('login:BJORN-ZIMMERMANN', 74, false),
	('login:BLUEFIN-WORKS', 109, false),
	('login:CARLOS-BECKER', 31, false),
	('login:CHIARASTRAND', 79, false),
	('login:COBALTWORKS-COLLECTIVE', 27, false),
	('login:DEMIR-DEV', 52, false),
	('login:DIEGO-MARCHETTI', 34, false),
	('login:DIEGO74', 81, false),
	('login:DIEGOSILVA', 94, false),
	('login:DILARA-JANSEN', 105, false),
	('login:EJANSEN', 88, false),
	('login:ELIF69', 48, false),
	('login:ELIF86', 87, false),
	('login:ELIFCOSTA', 113, false),
	('login:ELIFLOPES', 104, false),
	('login:ELIFSHARMA', 71, false),
	('login:EMIL-CODES', 90, false),
	('login:EMIL70', 56, false),
	('login:ERIKSEN-DEV', 107, false),
	('login:ESRAKOVACS', 49, false),
	('login:EVERGLEN-WORKS', 60, false),
	('login:FAROUK-DEV', 91, false),
	('login:FATIMA-CODES', 25, false),
	('login:FATIMATREMBLAY', 21, false),
	('login:FILIP85', 55, false),
	('login:GABRIELANOVAK', 10, false),
	('login:GOLDBERG-DEV', 11, false),
	('login:GRACEABARA', 1, false),
	('login:HADDAD-DEV', 118, false),
	('login:HAKON48', 98, false),
	('login:HAKONGARCIA', 4, false),
	('login:HALCYON-WORKS', 115, false),
	('login:HANNAH-CODES', 97, false),
	('login:HANSEN-DEV', 99, false),
	('login:IPHAM', 22, false),
	('login:JAKUB-BAKKER', 37, false),
	('login:JAKUBZIMMERMANN', 64, false),
	('login:JOAOSILVA', 5, false),
	('login:JUANJANSEN', 112, false),
	('login:KAITOBARBOSA', 83, false),
	('login:KMULLER', 106, false),
	('login:LANTERNFISH-FOUNDATION', 70, false),
	('login:LAYLA-H', 39, false),
	('login:LEA-CODES', 44, false),
	('login:LEA39', 59, false),
	('login:LIAMKHUMALO', 12, false),
	('login:LIAMWEBER', 23, false),
	('login:LINDGREN-DEV', 32, false),
	('login:LINH-CODES', 16, false),
	('login:LINHWEBER', 40, false),
	('login:LMENSAH', 78, false),
	('login:LOWTIDE-COLLECTIVE', 100, false),
	('login:LUCIA13', 110, false),
	('login:MADSPETROV', 41, false),
	('login:MALIK-VIRTANEN', 51, false),
	('login:MALIKBIANCHI', 57, false),
	('login:MAREKHADDAD', 72, false),
	('login:MARIGOLD-LAB', 43, false),
	('login:MGARCIA', 102, false),
	('login:MINJUN-KIM', 46, false),
	('login:MMOHAMED', 92, false),
	('login:MPHAM', 89, false),
	('login:NADIA79', 47, false),
	('login:NALEDI-ABARA', 67, false),
	('login:NALEDI-ROSSI', 80, false),
	('login:NALEDINAKAMURA', 8, false),
	('login:NILS-CODES', 76, false),
	('login:NWOSU-DEV', 73, false),
	('login:OLIVER94', 69, false),
	('login:OMAR30', 17, false),
	('login:PAULA74', 20, false),
	('login:PRIYANOVAK', 86, false),
	('login:PRIYASTRAND', 63, false),
	('login:RAFAEL-NGUYEN', 29, false),
	('login:RAVI-KIMURA', 85, false),
	('login:RAVI-SCHAFER', 15, false),
	('login:RAVI5', 13, false),
	('login:RAVIHORVATH', 45, false),
	('login:REN310', 93, false),
	('login:RHADDAD', 24, false),
	('login:ROOKERY-COLLECTIVE', 75, false),
	('login:ROSA97', 30, false),
	('login:SALTMARSH-LAB', 53, false),
	('login:SANNA-OLIVEIRA', 96, false),
	('login:SANNACASTILLO', 14, false),
	('login:SANNAHANSEN', 62, false),
	('login:SANNASATO', 38, false),
	('login:SILVA-DEV', 7, false),
	('login:SIMA-LEVI', 19, false),
	('login:SOFIA-CODES', 117, false),
	('login:SOFIA12', 28, false),
	('login:SUZUKI-DEV', 119, false),
	('login:TARIQHADDAD', 6, false);
INSERT INTO public.identities VALUES
	('login:TIDEWATER-WORKS', 108, false),
	('login:TOMAS-JANSEN', 114, false),
	('login:TOMAS-ZHANG', 54, false),
	('login:UBECKER', 111, false),
	('login:UMA-CODES', 84, false),
	('login:UMAFISCHER', 101, false),
	('login:UMBRA-COLLECTIVE', 18, false),
	('login:VALENTINA-TANAKA', 50, false),
	('login:VELVETLEAF-LAB', 82, false),
	('login:VIKTORNGUYEN', 120, false),
	('login:VMENSAH', 35, false),
	('login:YARA-CODES', 116, false),
	('login:YARROW-COLLECTIVE', 9, false),
	('login:YUSUF-BAKKER', 95, false),
	('login:YUSUF79', 103, false),
	('login:ZHANG-DEV', 65, false),
	('login:ZJANSEN', 42, false),
	('login:ZOE-CODES', 33, false),
	('login:ZOEGARCIA', 61, false),
	('login:ZSOFIA-QUISPE', 3, false),
	('login:ZTANAKA', 77, false);


--
-- Data for Name: imports; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ledger; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ledger VALUES
	(1, 1, '2026-11-28 01:43:21.930366+00', 'grant', 5000, 0, 5000, NULL, NULL, NULL, ''),
	(1, 2, '2026-11-28 01:43:22.001528+00', 'charge', 0, 1, 4999, 1, '7ea5611c-429a-4ccc-9e5d-7ccfe46d3a5c', '/users/GraceAbara', '/users/{login}'),
	(1, 3, '2026-11-28 01:43:22.061082+00', 'charge', 0, 1, 4998, 0, '675bcdc7-5f84-4ab8-b840-4bcd89cf465e', '/users/{login}', '/users/{login}'),
	(1, 4, '2026-11-28 01:43:22.090666+00', 'charge', 0, 3, 4995, 3, '0d80f2d0-75f5-4a86-ac5b-460f8b05a555', '/users', '/users'),
	(1, 5, '2026-11-28 01:43:22.132918+00', 'charge', 0, 3, 4992, 3, '289801ba-58a7-4fa7-b5c4-6b55a3cfc2d7', '/users', '/users'),
	(1, 6, '2026-11-28 01:43:22.173743+00', 'charge', 0, 20, 4972, 20, '4af09c60-2949-448a-8f40-f6537d9d685a', '/users', '/users'),
	(1, 7, '2026-11-28 01:43:22.188272+00', 'charge', 0, 5, 4967, 5, '1901518f-fde7-4cf0-98b5-f3e9ae8a01ab', '/users', '/users'),
	(1, 8, '2026-11-28 01:43:22.210249+00', 'charge', 0, 4, 4963, 4, '570c13c3-9cd9-4e48-be8a-8235ba427666', '/users', '/users'),
	(1, 9, '2026-11-28 01:43:22.223912+00', 'charge', 0, 4, 4959, 4, 'ee815b71-e8d7-43c3-a367-562c2a783621', '/users', '/users'),
	(1, 10, '2026-11-28 01:43:22.257091+00', 'charge', 0, 4, 4955, 4, '0eef81d9-e806-45ec-b909-b77dd00c20a3', '/users', '/users'),
	(1, 11, '2026-11-28 01:43:22.272364+00', 'charge', 0, 1, 4954, 1, '5c5346d0-f75b-43d4-b8bd-152ee182c8b9', '/users', '/users'),
	(1, 12, '2026-11-28 01:43:22.285268+00', 'charge', 0, 1, 4953, 1, '2be1f406-5f93-45ea-aafe-a3403beb0a58', '/users', '/users'),
	(1, 13, '2026-11-28 01:43:22.298549+00', 'charge', 0, 2, 4951, 2, '60b234a9-cd29-4e22-b0d1-de559ac21cd3', '/repos', '/repos'),
	(1, 14, '2026-11-28 01:43:22.387895+00', 'charge', 0, 2, 4949, 2, 'a88644bc-ac85-4814-91dd-2f8556a4c9cb', '/repos', '/repos'),
	(1, 15, '2026-11-28 01:43:22.409517+00', 'charge', 0, 3, 4946, 3, 'f2fadb9f-ea9d-4383-ab8f-85f043b613e1', '/repos', '/repos'),
	(1, 16, '2026-11-28 01:43:22.432362+00', 'charge', 0, 2, 4944, 2, 'f93f9d2d-a25c-4a45-9d6d-2651bab07b10', '/repos', '/repos'),
	(1, 17, '2026-11-28 01:43:22.445437+00', 'charge', 0, 3, 4941, 3, '7806f50b-51a1-4e1b-b812-5b81f2b0cea3', '/repos', '/repos'),
	(1, 18, '2026-11-28 01:43:22.453978+00', 'charge', 0, 3, 4938, 3, '878c7447-a009-4228-ad9b-23e25f7bf409', '/repos', '/repos'),
	(1, 19, '2026-11-28 01:43:22.458864+00', 'charge', 0, 1, 4937, 1, '87824996-d582-44a1-a708-6bcddfa0c11c', '/repos', '/repos'),
	(1, 20, '2026-11-28 01:43:22.463619+00', 'charge', 0, 1, 4936, 1, 'a29a1030-a1ac-4a36-b349-a8acede9b59b', '/repos', '/repos'),
	(1, 21, '2026-11-28 01:43:22.469338+00', 'charge', 0, 1, 4935, 1, '4a4d9abe-57d8-49ba-a464-18075f5c4201', '/repos/UmaBakker/parser-kit', '/repos/{owner}/{name}'),
	(1, 22, '2026-11-28 01:43:22.495065+00', 'charge', 0, 1, 4934, 1, 'f8949db3-9cac-4320-940c-be721f77e968', '/repos/UmaBakker/parser-kit/commits', '/repos/{owner}/{name}/commits'),
	(1, 23, '2026-11-28 01:43:22.510314+00', 'charge', 0, 2, 4932, 2, 'cf6850c8-4419-4a2b-b3ac-2afda5defd61', '/repos/UmaBakker/parser-kit/dependencies', '/repos/{owner}/{name}/dependencies');


--
-- Data for Name: ledger_days; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: loads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.loads OVERRIDING SYSTEM VALUE VALUES
	(1, 'import ndjson', 'users, identities, repos, commits, removals', '2026-11-28 01:43:19.366+00', '2026-11-28 01:43:21.588732+00', false, 1, '{"users":{"added":120,"updated":0,"removed":0},"addresses":{"added":0,"updated":0,"removed":0},"repositories":{"added":30,"updated":0,"removed":0},"commits":{"added":90,"updated":0,"removed":0}}'),
	(2, 'import ndjson', 'users, identities, repos, commits, removals', '2026-11-28 01:43:21.596+00', '2026-11-28 01:43:21.908708+00', false, 2, '{"users":{"added":0,"updated":1,"removed":1},"addresses":{"added":0,"updated":0,"removed":0},"repositories":{"added":0,"updated":0,"removed":0},"commits":{"added":0,"updated":0,"removed":0}}');


--
-- Data for Name: locations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.locations VALUES
	(2, '100% remote', '100% REMOTE', NULL, 1, true),
	(3, '<nowhere>', '<NOWHERE>', NULL, 1, true),
	(4, 'Amsterdam, The Netherlands', 'AMSTERDAM, THE NETHERLANDS', 'NL', 1, true),
	(5, 'Århus, Danmark', 'ARHUS, DANMARK', 'DK', 1, true),
	(6, 'Bengaluru, India', 'BENGALURU, INDIA', 'IN', 2, true),
	(7, 'Berlin', 'BERLIN', 'DE', 12, true),
	(8, 'Berlin & beyond + more', 'BERLIN & BEYOND + MORE', NULL, 1, true),
	(10, 'Buenos Aires, Argentina', 'BUENOS AIRES, ARGENTINA', 'AR', 1, true),
	(11, 'İstanbul', 'ISTANBUL', 'TR', 1, true),
	(12, 'Kraków, Poland', 'KRAKOW, POLAND', 'PL', 2, true),
	(13, 'Lagos, Nigeria', 'LAGOS, NIGERIA', 'NG', 3, true),
	(14, 'London', 'LONDON', 'GB', 6, true),
	(15, 'London, UK', 'LONDON, UK', 'GB', 1, true),
	(16, 'Madrid, España', 'MADRID, ESPANA', 'ES', 3, true),
	(17, 'Melbourne, Australia', 'MELBOURNE, AUSTRALIA', 'AU', 1, true),
	(18, 'Mexico City', 'MEXICO CITY', 'MX', 1, true),
	(19, 'München', 'MUNCHEN', 'DE', 5, true),
	(20, 'Nairobi, Kenya', 'NAIROBI, KENYA', 'KE', 1, true),
	(21, 'New York, NY', 'NEW YORK, NY', 'US', 3, true),
	(22, 'Paris, France', 'PARIS, FRANCE', 'FR', 1, true),
	(23, 'San Francisco, CA', 'SAN FRANCISCO, CA', 'US', 7, true),
	(24, 'São Paulo', 'SAO PAULO', 'BR', 4, true),
	(25, 'São Paulo, Brasil', 'SAO PAULO, BRASIL', 'BR', 5, true),
	(26, 'Sao Paulo, Brazil', 'SAO PAULO, BRAZIL', 'BR', 1, true),
	(27, 'Stockholm, Sweden', 'STOCKHOLM, SWEDEN', 'SE', 1, true),
	(28, 'Tokyo, Japan', 'TOKYO, JAPAN', 'JP', 3, true),
	(29, 'Toronto, Canada', 'TORONTO, CANADA', 'CA', 3, true),
	(30, 'Winterthur (Kanton Zürich)', 'WINTERTHUR (KANTON ZURICH)', 'CH', 1, true),
	(31, 'Zürich', 'ZURICH', 'CH', 1, true),
	(32, 'Zürich, CH', 'ZURICH, CH', 'CH', 1, true),
	(33, '\\fileserver\share', '\\FILESERVER\SHARE', NULL, 1, true),
	(34, 'Łódź, Polska', 'ŁODZ, POLSKA', 'PL', 1, true),
	(35, 'МОСКВА, Россия', 'МОСКВА, РОССИЯ', 'RU', 1, true),
	(36, 'القاهرة، مصر', 'القاهرة، مصر', 'EG', 1, true),
	(37, '東京', '東京', 'JP', 1, true),
	(38, '東京都', '東京都', 'JP', 1, true),
	(39, '서울, 대한민국', '서울, 대한민국', 'KR', 1, true),
	(40, '🇳🇿 Wellington', '🇳🇿 WELLINGTON', 'NZ', 1, true),
	(9, 'Berlin, Germany', 'BERLIN, GERMANY', 'DE', 7, true);


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations VALUES
	(1, '0001_tables_and_settle_function.sql', '3cc38539c0d05e149f28d91ef4aa9cfdfa597e792d394b256f190ed9e509d49d', 1, '2026-11-28 01:43:19.279778+00');


--
-- Data for Name: rate_limit_windows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_limit_windows VALUES
	(1, '2026-11-28 01:43:22.001528+00', 29);


--
-- Data for Name: removals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.removals OVERRIDING SYSTEM VALUE VALUES
	(1, 'user', 1409654815, 2, false);


--
-- Data for Name: repositories; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.repositories VALUES
	(1, 233729069, 'UMABAKKER/PARSER-KIT', 'FORGE.EXAMPLE/UMABAKKER/PARSER-KIT', 1748048068, '{177,176,178,174,175,173}', 1, '"forge_rest_id":233729069,"forge_graphql_id":"R_kgDODe5sLQ","url":"https://forge.example/UmaBakker/parser-kit","name":"parser-kit","full_name":"UmaBakker/parser-kit","private":false,"owner_login":"UmaBakker","owner_avatar_url":"https://avatars.forge.example/u/2346409312?v=4","description":"parser for people in a hurry 🚀","homepage":null,"fork":false,"forks_count":3929,"archived":false,"disabled":false,"license":"AGPL-3.0","language":"Ruby","stargazers_count":33027,"watchers_count":33027,"open_issues_count":45,"has_issues":true,"has_discussions":false,"has_projects":false,"created_at":1747056297,"updated_at":1750495545,"pushed_at":1748048068,"visibility":"public","size":41570,"default_branch":"develop"', '[{"url":"https://forge.example/UmaBakker/parser-kit","first_use_date":1747711000,"last_use_date":null,"updated_at":1747984219,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"Gemfile"}},{"url":"https://forge.example/UmaBakker/parser-kit","first_use_date":1747361029,"last_use_date":null,"updated_at":1747694032,"status":"active","dependency":{"dependency_name":"rspec","dependency_file":"Gemfile"}}]', 2, DEFAULT),
	(2, 263115608, 'FOXGLOVE-COLLECTIVE/LIMITER-STARTER', 'FORGE.EXAMPLE/FOXGLOVE-COLLECTIVE/LIMITER-STARTER', 1668739779, '{181,182,178,174,180,179}', 1, '"forge_rest_id":263115608,"forge_graphql_id":"R_kgDOD67TWA","url":"https://forge.example/foxglove-collective/limiter-starter","name":"limiter-starter","full_name":"foxglove-collective/limiter-starter","private":false,"owner_login":"foxglove-collective","owner_avatar_url":"https://avatars.forge.example/u/746481209?v=4","description":null,"homepage":null,"fork":false,"forks_count":996,"archived":false,"disabled":false,"license":"ISC","language":"TypeScript","stargazers_count":29386,"watchers_count":29386,"open_issues_count":0,"has_issues":true,"has_discussions":true,"has_projects":true,"created_at":1368791521,"updated_at":1691364988,"pushed_at":1668739779,"visibility":"public","size":52133,"default_branch":"master"', '[{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1531072161,"last_use_date":1652055468,"updated_at":1652055468,"status":"removed","dependency":{"dependency_name":"@prisma/client","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1370369547,"last_use_date":null,"updated_at":1400614351,"status":"active","dependency":{"dependency_name":"@types/react","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1369556360,"last_use_date":null,"updated_at":1393537250,"status":"active","dependency":{"dependency_name":"classnames","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1371215876,"last_use_date":null,"updated_at":1481825083,"status":"active","dependency":{"dependency_name":"express","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1370695544,"last_use_date":null,"updated_at":1629053306,"status":"active","dependency":{"dependency_name":"glob","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1626114293,"last_use_date":null,"updated_at":1627395085,"status":"active","dependency":{"dependency_name":"gunicorn","dependency_file":"requirements.txt"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1370831153,"last_use_date":null,"updated_at":1411168420,"status":"active","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1454512165,"last_use_date":null,"updated_at":1464744658,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1368980994,"last_use_date":1600676953,"updated_at":1600676953,"status":"removed","dependency":{"dependency_name":"postcss","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1657091367,"last_use_date":null,"updated_at":1667609606,"status":"active","dependency":{"dependency_name":"prettier","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1517317658,"last_use_date":1632638189,"updated_at":1632638189,"status":"removed","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1370430909,"last_use_date":1586262906,"updated_at":1586262906,"status":"removed","dependency":{"dependency_name":"rich","dependency_file":"requirements.txt"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1658993491,"last_use_date":null,"updated_at":1665521268,"status":"active","dependency":{"dependency_name":"rxjs","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1654941682,"last_use_date":null,"updated_at":1656954696,"status":"active","dependency":{"dependency_name":"sinon","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1377661920,"last_use_date":null,"updated_at":1655710085,"status":"active","dependency":{"dependency_name":"svelte","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1370156320,"last_use_date":null,"updated_at":1410206742,"status":"active","dependency":{"dependency_name":"three","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1369420468,"last_use_date":null,"updated_at":1587165717,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1501512089,"last_use_date":null,"updated_at":1636216202,"status":"active","dependency":{"dependency_name":"uuid","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1370403246,"last_use_date":1439267131,"updated_at":1439267131,"status":"removed","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1651990884,"last_use_date":null,"updated_at":1660116827,"status":"active","dependency":{"dependency_name":"vue","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1650406461,"last_use_date":null,"updated_at":1667037507,"status":"active","dependency":{"dependency_name":"ws","dependency_file":"package.json"}},{"url":"https://forge.example/foxglove-collective/limiter-starter","first_use_date":1369477534,"last_use_date":null,"updated_at":1523601051,"status":"active","dependency":{"dependency_name":"zod","dependency_file":"package.json"}}]', 22, DEFAULT),
	(3, 1048766355, 'RAFAEL-ROSSI/PROXY-BOT', 'FORGE.EXAMPLE/RAFAEL-ROSSI/PROXY-BOT', 1740056926, '{181,183,178,174,184}', 1, '"forge_rest_id":1048766355,"forge_graphql_id":"R_kgDOPoLnkw","url":"https://forge.example/rafael-rossi/proxy-bot","name":"proxy-bot","full_name":"rafael-rossi/proxy-bot","private":false,"owner_login":"rafael-rossi","owner_avatar_url":"https://avatars.forge.example/u/2276188128?v=4","description":"Ein kleines Werkzeug: proxy","homepage":null,"fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"CC-BY-4.0","language":"TypeScript","stargazers_count":0,"watchers_count":0,"open_issues_count":111,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1727737166,"updated_at":1740687354,"pushed_at":1740056926,"visibility":"public","size":57617,"default_branch":"master"', '[{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1732193839,"last_use_date":null,"updated_at":1734446516,"status":"active","dependency":{"dependency_name":"@types/react","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728818084,"last_use_date":null,"updated_at":1737170009,"status":"active","dependency":{"dependency_name":"aiohttp","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728384104,"last_use_date":null,"updated_at":1737923856,"status":"active","dependency":{"dependency_name":"bcrypt","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1734437452,"last_use_date":1739971009,"updated_at":1739971009,"status":"removed","dependency":{"dependency_name":"black","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1729883494,"last_use_date":null,"updated_at":1730428330,"status":"active","dependency":{"dependency_name":"dayjs","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728820384,"last_use_date":null,"updated_at":1732006270,"status":"active","dependency":{"dependency_name":"dotenv","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1729644142,"last_use_date":null,"updated_at":1736860197,"status":"active","dependency":{"dependency_name":"eslint","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1735799892,"last_use_date":null,"updated_at":1739761012,"status":"active","dependency":{"dependency_name":"express","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1727932604,"last_use_date":null,"updated_at":1729961148,"status":"active","dependency":{"dependency_name":"flask","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1730010892,"last_use_date":null,"updated_at":1737727397,"status":"active","dependency":{"dependency_name":"httpx","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1736179963,"last_use_date":null,"updated_at":1737407398,"status":"active","dependency":{"dependency_name":"jest","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1731140835,"last_use_date":1735760062,"updated_at":1735760062,"status":"removed","dependency":{"dependency_name":"lint-staged","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1737374149,"last_use_date":null,"updated_at":1738839022,"status":"active","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1730625084,"last_use_date":null,"updated_at":1734745149,"status":"active","dependency":{"dependency_name":"numpy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728359153,"last_use_date":null,"updated_at":1735473543,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1729124841,"last_use_date":null,"updated_at":1737838054,"status":"active","dependency":{"dependency_name":"postcss","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1727888269,"last_use_date":1739459967,"updated_at":1739459967,"status":"removed","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728038954,"last_use_date":null,"updated_at":1734806602,"status":"active","dependency":{"dependency_name":"react-router-dom","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728229731,"last_use_date":null,"updated_at":1732870317,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1728121156,"last_use_date":1728565795,"updated_at":1728565795,"status":"removed","dependency":{"dependency_name":"styled-components","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1727970675,"last_use_date":null,"updated_at":1731006650,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1739655824,"last_use_date":null,"updated_at":1739855712,"status":"active","dependency":{"dependency_name":"uuid","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1736090431,"last_use_date":null,"updated_at":1736549041,"status":"active","dependency":{"dependency_name":"vite","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1729473249,"last_use_date":null,"updated_at":1736195319,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}},{"url":"https://forge.example/rafael-rossi/proxy-bot","first_use_date":1733172598,"last_use_date":1738969614,"updated_at":1738969614,"status":"removed","dependency":{"dependency_name":"yargs","dependency_file":"package.json"}}]', 25, DEFAULT),
	(4, 2031984226, 'LINH-CODES/ORBIT-WORKER', 'FORGE.EXAMPLE/LINH-CODES/ORBIT-WORKER', NULL, '{185,186,178,174}', 1, '"forge_rest_id":2031984226,"forge_graphql_id":"R_kgDOeR2eYg","url":"https://forge.example/linh-codes/orbit-worker","name":"orbit-worker","full_name":"linh-codes/orbit-worker","private":false,"owner_login":"linh-codes","owner_avatar_url":"https://avatars.forge.example/u/2075975458?v=4","description":null,"homepage":"https://orbit-worker.example/","fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"Apache-2.0","language":"PHP","stargazers_count":0,"watchers_count":0,"open_issues_count":105,"has_issues":true,"has_discussions":true,"has_projects":true,"created_at":1698844592,"updated_at":1738419908,"pushed_at":null,"visibility":"public","size":8218,"default_branch":"main"', '[{"url":"https://forge.example/linh-codes/orbit-worker","first_use_date":1698844592,"last_use_date":null,"updated_at":1698844592,"status":"active","dependency":{"dependency_name":"laravel/framework","dependency_file":"composer.json"}},{"url":"https://forge.example/linh-codes/orbit-worker","first_use_date":1698844592,"last_use_date":null,"updated_at":1698844592,"status":"active","dependency":{"dependency_name":"monolog/monolog","dependency_file":"composer.json"}},{"url":"https://forge.example/linh-codes/orbit-worker","first_use_date":1698844592,"last_use_date":null,"updated_at":1698844592,"status":"active","dependency":{"dependency_name":"symfony/console","dependency_file":"composer.json"}},{"url":"https://forge.example/linh-codes/orbit-worker","first_use_date":1698844592,"last_use_date":1698844592,"updated_at":1698844592,"status":"removed","dependency":{"dependency_name":"vlucas/phpdotenv","dependency_file":"composer.json"}},{"url":"https://forge.example/linh-codes/orbit-worker","first_use_date":1698844592,"last_use_date":null,"updated_at":1698844592,"status":"active","dependency":{"dependency_name":"winston","dependency_file":"package.json"}}]', 5, DEFAULT),
	(5, 1304416744, 'MADSPETROV/TODO-TOOLS', 'FORGE.EXAMPLE/MADSPETROV/TODO-TOOLS', NULL, '{177,189,187,174,188}', 1, '"forge_rest_id":1304416744,"forge_graphql_id":"R_kgDOTb_R6A","url":"https://forge.example/madspetrov/todo-tools","name":"todo-tools","full_name":"madspetrov/todo-tools","private":false,"owner_login":"madspetrov","owner_avatar_url":"https://avatars.forge.example/u/417830059?v=4","description":"Experiments with todo, mostly unfinished","homepage":null,"fork":true,"forks_count":2,"archived":false,"disabled":false,"license":"GPL-3.0","language":"Ruby","stargazers_count":76,"watchers_count":76,"open_issues_count":4,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1745867838,"updated_at":1746276979,"pushed_at":null,"visibility":"public","size":34866,"default_branch":"develop"', '[{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"bootsnap","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":1745867838,"updated_at":1745867838,"status":"removed","dependency":{"dependency_name":"capybara","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"devise","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"dotenv","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"factory_bot_rails","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"faker","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"jbuilder","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":1745867838,"updated_at":1745867838,"status":"removed","dependency":{"dependency_name":"jekyll","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"minitest","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"nokogiri","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"puma","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":1745867838,"updated_at":1745867838,"status":"removed","dependency":{"dependency_name":"rack","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"rails","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"rake","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"redis","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":1745867838,"updated_at":1745867838,"status":"removed","dependency":{"dependency_name":"rspec","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"rspec-rails","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"rubocop","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"sidekiq","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":1745867838,"updated_at":1745867838,"status":"removed","dependency":{"dependency_name":"simplecov","dependency_file":"Gemfile"}},{"url":"https://forge.example/madspetrov/todo-tools","first_use_date":1745867838,"last_use_date":null,"updated_at":1745867838,"status":"active","dependency":{"dependency_name":"sinatra","dependency_file":"Gemfile"}}]', 22, DEFAULT),
	(6, 1543328436, 'BJORN-ZIMMERMANN/REPORT-BOT', 'FORGE.EXAMPLE/BJORN-ZIMMERMANN/REPORT-BOT', 1634593072, '{181,182,178,174,190}', 1, '"forge_rest_id":1543328436,"forge_graphql_id":"R_kgDOW_1StA","url":"https://forge.example/bjorn-zimmermann/report-bot","name":"report-bot","full_name":"bjorn-zimmermann/report-bot","private":false,"owner_login":"bjorn-zimmermann","owner_avatar_url":"https://avatars.forge.example/u/1038779957?v=4","description":"Fast, typed and tested report bot","homepage":null,"fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"ISC","language":"TypeScript","stargazers_count":0,"watchers_count":0,"open_issues_count":0,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1608472959,"updated_at":1705717271,"pushed_at":1634593072,"visibility":"public","size":13528,"default_branch":"main"', '[{"url":"https://forge.example/bjorn-zimmermann/report-bot","first_use_date":1615823789,"last_use_date":null,"updated_at":1625016134,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}}]', 1, DEFAULT),
	(7, 323300962, 'UMABAKKER/MARKDOWN-CLIENT', 'FORGE.EXAMPLE/UMABAKKER/MARKDOWN-CLIENT', 1731693079, '{192,178,174,191,193}', 1, '"forge_rest_id":323300962,"forge_graphql_id":"R_kgDOE0UuYg","url":"https://forge.example/UmaBakker/markdown-client","name":"markdown-client","full_name":"UmaBakker/markdown-client","private":false,"owner_login":"UmaBakker","owner_avatar_url":"https://avatars.forge.example/u/2346409312?v=4","description":"A small markdown client that does one thing","homepage":"https://markdown-client.example/","fork":false,"forks_count":101,"archived":false,"disabled":false,"license":null,"language":"Go","stargazers_count":3428,"watchers_count":3428,"open_issues_count":68,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1730244351,"updated_at":1744296612,"pushed_at":1731693079,"visibility":"public","size":49953,"default_branch":"trunk"', '[{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730920488,"last_use_date":1731549413,"updated_at":1731549413,"status":"removed","dependency":{"dependency_name":"github.com/BurntSushi/toml","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730948742,"last_use_date":null,"updated_at":1731118601,"status":"active","dependency":{"dependency_name":"github.com/fsnotify/fsnotify","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731167892,"last_use_date":null,"updated_at":1731650618,"status":"active","dependency":{"dependency_name":"github.com/gin-gonic/gin","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730375876,"last_use_date":null,"updated_at":1730585125,"status":"active","dependency":{"dependency_name":"github.com/go-chi/chi/v5","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730739274,"last_use_date":null,"updated_at":1730751758,"status":"active","dependency":{"dependency_name":"github.com/google/go-cmp","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731460500,"last_use_date":null,"updated_at":1731590910,"status":"active","dependency":{"dependency_name":"github.com/google/uuid","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731357056,"last_use_date":null,"updated_at":1731692909,"status":"active","dependency":{"dependency_name":"github.com/gorilla/mux","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731173416,"last_use_date":1731350188,"updated_at":1731350188,"status":"removed","dependency":{"dependency_name":"github.com/jackc/pgx/v5","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730566572,"last_use_date":null,"updated_at":1731187592,"status":"active","dependency":{"dependency_name":"github.com/labstack/echo/v4","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730894514,"last_use_date":1731020398,"updated_at":1731020398,"status":"removed","dependency":{"dependency_name":"github.com/pkg/errors","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730724374,"last_use_date":null,"updated_at":1731122585,"status":"active","dependency":{"dependency_name":"github.com/prometheus/client_golang","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730317293,"last_use_date":null,"updated_at":1731189363,"status":"active","dependency":{"dependency_name":"github.com/redis/go-redis/v9","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730369924,"last_use_date":null,"updated_at":1731024922,"status":"active","dependency":{"dependency_name":"github.com/rs/zerolog","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731038007,"last_use_date":null,"updated_at":1731437987,"status":"active","dependency":{"dependency_name":"github.com/sirupsen/logrus","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730822425,"last_use_date":1731496817,"updated_at":1731496817,"status":"removed","dependency":{"dependency_name":"github.com/spf13/cobra","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730552131,"last_use_date":null,"updated_at":1731544516,"status":"active","dependency":{"dependency_name":"github.com/spf13/viper","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731508458,"last_use_date":null,"updated_at":1731663672,"status":"active","dependency":{"dependency_name":"github.com/stretchr/testify","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730376856,"last_use_date":null,"updated_at":1730994491,"status":"active","dependency":{"dependency_name":"go.uber.org/zap","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731000186,"last_use_date":1731062700,"updated_at":1731062700,"status":"removed","dependency":{"dependency_name":"golang.org/x/crypto","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730759645,"last_use_date":null,"updated_at":1731480780,"status":"active","dependency":{"dependency_name":"golang.org/x/net","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730912889,"last_use_date":null,"updated_at":1731223589,"status":"active","dependency":{"dependency_name":"golang.org/x/sync","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730488424,"last_use_date":null,"updated_at":1731061346,"status":"active","dependency":{"dependency_name":"golang.org/x/text","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731280358,"last_use_date":1731385705,"updated_at":1731385705,"status":"removed","dependency":{"dependency_name":"google.golang.org/grpc","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731287007,"last_use_date":1731520449,"updated_at":1731520449,"status":"removed","dependency":{"dependency_name":"google.golang.org/protobuf","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730319353,"last_use_date":null,"updated_at":1731686782,"status":"active","dependency":{"dependency_name":"gopkg.in/yaml.v3","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731373496,"last_use_date":null,"updated_at":1731421043,"status":"active","dependency":{"dependency_name":"gorm.io/gorm","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1730767350,"last_use_date":1731255984,"updated_at":1731255984,"status":"removed","dependency":{"dependency_name":"k8s.io/api","dependency_file":"go.mod"}},{"url":"https://forge.example/UmaBakker/markdown-client","first_use_date":1731067012,"last_use_date":null,"updated_at":1731264759,"status":"active","dependency":{"dependency_name":"k8s.io/client-go","dependency_file":"go.mod"}}]', 28, DEFAULT),
	(8, 1979889485, 'MAJA-CODES/LIMITER-BOT', 'FORGE.EXAMPLE/MAJA-CODES/LIMITER-BOT', 1726624792, '{194,195,178,174,197,196}', 1, '"forge_rest_id":1979889485,"forge_graphql_id":"R_kgDOdgK3TQ","url":"https://forge.example/maja-codes/limiter-bot","name":"limiter-bot","full_name":"maja-codes/limiter-bot","private":false,"owner_login":"maja-codes","owner_avatar_url":"https://avatars.forge.example/u/698145133?v=4","description":"The limiter behind our products","homepage":null,"fork":false,"forks_count":504,"archived":false,"disabled":false,"license":"BSD-3-Clause","language":"Python","stargazers_count":3658,"watchers_count":3658,"open_issues_count":55,"has_issues":true,"has_discussions":false,"has_projects":false,"created_at":1585534637,"updated_at":1736143121,"pushed_at":1726624792,"visibility":"public","size":11092,"default_branch":"main"', '[{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1599978814,"last_use_date":null,"updated_at":1658799152,"status":"active","dependency":{"dependency_name":"boto3","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1628638753,"last_use_date":null,"updated_at":1705474913,"status":"active","dependency":{"dependency_name":"click","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1593122739,"last_use_date":null,"updated_at":1722897843,"status":"active","dependency":{"dependency_name":"django","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1681411085,"last_use_date":null,"updated_at":1686161807,"status":"active","dependency":{"dependency_name":"fastapi","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1627415295,"last_use_date":null,"updated_at":1723999405,"status":"active","dependency":{"dependency_name":"flask","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1680516378,"last_use_date":null,"updated_at":1709434384,"status":"active","dependency":{"dependency_name":"httpx","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1586416578,"last_use_date":null,"updated_at":1589571494,"status":"active","dependency":{"dependency_name":"jinja2","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1599643628,"last_use_date":null,"updated_at":1637131260,"status":"active","dependency":{"dependency_name":"matplotlib","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1623207550,"last_use_date":1633984825,"updated_at":1633984825,"status":"removed","dependency":{"dependency_name":"numpy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1587514273,"last_use_date":1707805671,"updated_at":1707805671,"status":"removed","dependency":{"dependency_name":"pandas","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1587169653,"last_use_date":null,"updated_at":1686395895,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1588166658,"last_use_date":null,"updated_at":1703762923,"status":"active","dependency":{"dependency_name":"pytest-cov","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1694904284,"last_use_date":null,"updated_at":1709244872,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1663097253,"last_use_date":null,"updated_at":1693785021,"status":"active","dependency":{"dependency_name":"ruff","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1586214671,"last_use_date":1716727571,"updated_at":1716727571,"status":"removed","dependency":{"dependency_name":"scipy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1587272073,"last_use_date":null,"updated_at":1711093135,"status":"active","dependency":{"dependency_name":"selenium","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1586328444,"last_use_date":null,"updated_at":1592950172,"status":"active","dependency":{"dependency_name":"sqlalchemy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1587713526,"last_use_date":null,"updated_at":1709889082,"status":"active","dependency":{"dependency_name":"typer","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/maja-codes/limiter-bot","first_use_date":1588511032,"last_use_date":null,"updated_at":1678009407,"status":"active","dependency":{"dependency_name":"uvicorn","dependency_file":"pyproject.toml"}}]', 19, DEFAULT),
	(9, 1503695595, 'ADASILVA/JOURNAL-SERVICE', 'FORGE.EXAMPLE/ADASILVA/JOURNAL-SERVICE', 1584591831, '{198,199,178,174,200,201}', 1, '"forge_rest_id":1503695595,"forge_graphql_id":"R_kgDOWaCS6w","url":"https://forge.example/adasilva/journal-service","name":"journal-service","full_name":"adasilva/journal-service","private":false,"owner_login":"adasilva","owner_avatar_url":"https://avatars.forge.example/u/1015469290?v=4","description":"Course material: build your own journal","homepage":null,"fork":false,"forks_count":301,"archived":false,"disabled":false,"license":"Unlicense","language":"JavaScript","stargazers_count":28627,"watchers_count":28627,"open_issues_count":14,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1519138248,"updated_at":1646760831,"pushed_at":1584591831,"visibility":"public","size":21623,"default_branch":"master"', '[{"url":"https://forge.example/adasilva/journal-service","first_use_date":1519259119,"last_use_date":null,"updated_at":1534274848,"status":"active","dependency":{"dependency_name":"@types/node","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1565382906,"last_use_date":null,"updated_at":1565808758,"status":"active","dependency":{"dependency_name":"eslint","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1521969520,"last_use_date":null,"updated_at":1571032746,"status":"active","dependency":{"dependency_name":"fastify","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1561555837,"last_use_date":1567683044,"updated_at":1567683044,"status":"removed","dependency":{"dependency_name":"hono","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1580839424,"last_use_date":null,"updated_at":1580869718,"status":"active","dependency":{"dependency_name":"next","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1522123081,"last_use_date":1570074530,"updated_at":1570074530,"status":"removed","dependency":{"dependency_name":"nodemon","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1560804919,"last_use_date":1574581564,"updated_at":1574581564,"status":"removed","dependency":{"dependency_name":"prettier","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1519407726,"last_use_date":1561526341,"updated_at":1561526341,"status":"removed","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1519940395,"last_use_date":null,"updated_at":1570281558,"status":"active","dependency":{"dependency_name":"socket.io","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1563233094,"last_use_date":null,"updated_at":1579594489,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1539996817,"last_use_date":null,"updated_at":1581465973,"status":"active","dependency":{"dependency_name":"valibot","dependency_file":"package.json"}},{"url":"https://forge.example/adasilva/journal-service","first_use_date":1520750893,"last_use_date":null,"updated_at":1531934052,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}}]', 12, DEFAULT),
	(10, 1278394117, 'RHADDAD/WALLET-CLIENT', 'FORGE.EXAMPLE/RHADDAD/WALLET-CLIENT', 1706882182, '{204,195,178,174,202,203}', 1, '"forge_rest_id":1278394117,"forge_graphql_id":"R_kgDOTDK_BQ","url":"https://forge.example/rhaddad/wallet-client","name":"wallet-client","full_name":"rhaddad/wallet-client","private":false,"owner_login":"rhaddad","owner_avatar_url":"https://avatars.forge.example/u/1819379775?v=4","description":"Course material: build your own wallet","homepage":null,"fork":false,"forks_count":62,"archived":false,"disabled":false,"license":"BSD-3-Clause","language":"C","stargazers_count":1010,"watchers_count":1010,"open_issues_count":93,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1692425378,"updated_at":1745364992,"pushed_at":1706882182,"visibility":"public","size":58560,"default_branch":"develop"', '[]', 0, DEFAULT),
	(11, 1710920911, 'MULLER-DEV/IMAGE-STARTER', 'FORGE.EXAMPLE/MULLER-DEV/IMAGE-STARTER', 1746616735, '{194,206,187,174,205}', 1, '"forge_rest_id":1710920911,"forge_graphql_id":"R_kgDOZfqUzw","url":"https://forge.example/muller-dev/image-starter","name":"image-starter","full_name":"muller-dev/image-starter","private":false,"owner_login":"muller-dev","owner_avatar_url":"https://avatars.forge.example/u/1932713624?v=4","description":null,"homepage":"https://image-starter.example/","fork":true,"forks_count":0,"archived":false,"disabled":false,"license":"MIT","language":"Python","stargazers_count":0,"watchers_count":0,"open_issues_count":2,"has_issues":false,"has_discussions":false,"has_projects":false,"created_at":1639565914,"updated_at":1747973430,"pushed_at":1746616735,"visibility":"public","size":5978,"default_branch":"main"', '[{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1724544802,"last_use_date":null,"updated_at":1740614458,"status":"active","dependency":{"dependency_name":"jinja2","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1640742761,"last_use_date":null,"updated_at":1720757907,"status":"active","dependency":{"dependency_name":"mypy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1687501993,"last_use_date":null,"updated_at":1726126852,"status":"active","dependency":{"dependency_name":"mypy","dependency_file":"requirements.txt"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1682221969,"last_use_date":1701342382,"updated_at":1701342382,"status":"removed","dependency":{"dependency_name":"pandas","dependency_file":"requirements.txt"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1642173564,"last_use_date":null,"updated_at":1718217167,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1674199765,"last_use_date":null,"updated_at":1702450091,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"requirements.txt"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1736094944,"last_use_date":null,"updated_at":1743375256,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1641012205,"last_use_date":null,"updated_at":1720680577,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"requirements.txt"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1745150406,"last_use_date":null,"updated_at":1745239417,"status":"active","dependency":{"dependency_name":"scipy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1641097451,"last_use_date":null,"updated_at":1740887177,"status":"active","dependency":{"dependency_name":"scipy","dependency_file":"requirements.txt"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1639910572,"last_use_date":null,"updated_at":1722047283,"status":"active","dependency":{"dependency_name":"selenium","dependency_file":"requirements.txt"}},{"url":"https://forge.example/muller-dev/image-starter","first_use_date":1641130471,"last_use_date":null,"updated_at":1678242088,"status":"active","dependency":{"dependency_name":"transformers","dependency_file":"requirements.txt"}}]', 12, DEFAULT),
	(12, 407510328, 'ANDERSSON-DEV/JOURNAL-RS', 'FORGE.EXAMPLE/ANDERSSON-DEV/JOURNAL-RS', 1738206331, '{194,178,208,207}', 1, '"forge_rest_id":407510328,"forge_graphql_id":"R_kgDOGEodOA","url":"https://forge.example/andersson-dev/journal-rs","name":"journal-rs","full_name":"andersson-dev/journal-rs","private":false,"owner_login":"andersson-dev","owner_avatar_url":"https://avatars.forge.example/u/2190428137?v=4","description":null,"homepage":null,"fork":false,"forks_count":0,"archived":true,"disabled":false,"license":null,"language":"Python","stargazers_count":0,"watchers_count":0,"open_issues_count":105,"has_issues":true,"has_discussions":true,"has_projects":true,"created_at":1732056321,"updated_at":1748940490,"pushed_at":1738206331,"visibility":"public","size":3150,"default_branch":"master"', '[{"url":"https://forge.example/andersson-dev/journal-rs","first_use_date":1733381404,"last_use_date":null,"updated_at":1736516420,"status":"active","dependency":{"dependency_name":"flask","dependency_file":"pyproject.toml"}}]', 1, DEFAULT),
	(13, 903713740, 'GABRIELA-TREMBLAY/TIMER-GO', 'FORGE.EXAMPLE/GABRIELA-TREMBLAY/TIMER-GO', 1462495053, '{177,189,178,174,209,210}', 1, '"forge_rest_id":903713740,"forge_graphql_id":"R_kgDONd2TzA","url":"https://forge.example/gabriela-tremblay/timer-go","name":"timer-go","full_name":"gabriela-tremblay/timer-go","private":false,"owner_login":"gabriela-tremblay","owner_avatar_url":"https://avatars.forge.example/u/841743553?v=4","description":"The timer behind our products","homepage":null,"fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"GPL-3.0","language":"Ruby","stargazers_count":1,"watchers_count":1,"open_issues_count":12,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1434679857,"updated_at":1680164054,"pushed_at":1462495053,"visibility":"public","size":35821,"default_branch":"main"', '[{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1436791092,"last_use_date":null,"updated_at":1452092819,"status":"active","dependency":{"dependency_name":"bootsnap","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1445995106,"last_use_date":null,"updated_at":1457412656,"status":"active","dependency":{"dependency_name":"capybara","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1437239805,"last_use_date":null,"updated_at":1458097171,"status":"active","dependency":{"dependency_name":"devise","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1436425389,"last_use_date":null,"updated_at":1454860732,"status":"active","dependency":{"dependency_name":"dotenv","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1439830755,"last_use_date":null,"updated_at":1445551712,"status":"active","dependency":{"dependency_name":"factory_bot_rails","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1456608411,"last_use_date":null,"updated_at":1459095295,"status":"active","dependency":{"dependency_name":"faker","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1435978344,"last_use_date":null,"updated_at":1448699037,"status":"active","dependency":{"dependency_name":"jbuilder","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1461650106,"last_use_date":null,"updated_at":1462292707,"status":"active","dependency":{"dependency_name":"jekyll","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1435758414,"last_use_date":1448923616,"updated_at":1448923616,"status":"removed","dependency":{"dependency_name":"minitest","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1435411911,"last_use_date":null,"updated_at":1446901809,"status":"active","dependency":{"dependency_name":"nokogiri","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1436481228,"last_use_date":null,"updated_at":1461249134,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1444196188,"last_use_date":null,"updated_at":1459195198,"status":"active","dependency":{"dependency_name":"puma","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1435100766,"last_use_date":1450357093,"updated_at":1450357093,"status":"removed","dependency":{"dependency_name":"rack","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1448588024,"last_use_date":null,"updated_at":1458490745,"status":"active","dependency":{"dependency_name":"rails","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1434816106,"last_use_date":1445820823,"updated_at":1445820823,"status":"removed","dependency":{"dependency_name":"rake","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1435829586,"last_use_date":null,"updated_at":1441447402,"status":"active","dependency":{"dependency_name":"redis","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1436484213,"last_use_date":null,"updated_at":1455077541,"status":"active","dependency":{"dependency_name":"rspec","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1445304920,"last_use_date":null,"updated_at":1454820928,"status":"active","dependency":{"dependency_name":"rspec-rails","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1449535292,"last_use_date":null,"updated_at":1455235041,"status":"active","dependency":{"dependency_name":"rubocop","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1456256793,"last_use_date":null,"updated_at":1457330868,"status":"active","dependency":{"dependency_name":"sidekiq","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1454072321,"last_use_date":null,"updated_at":1459582404,"status":"active","dependency":{"dependency_name":"simplecov","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1435800187,"last_use_date":null,"updated_at":1459706625,"status":"active","dependency":{"dependency_name":"sinatra","dependency_file":"Gemfile"}},{"url":"https://forge.example/gabriela-tremblay/timer-go","first_use_date":1450124749,"last_use_date":null,"updated_at":1458349585,"status":"active","dependency":{"dependency_name":"turbo-rails","dependency_file":"Gemfile"}}]', 23, DEFAULT),
	(14, 1571652448, 'ZSOFIAMOREAU/CANVAS-GO', 'FORGE.EXAMPLE/ZSOFIAMOREAU/CANVAS-GO', 1628096629, '{194,178,208,212,211}', 1, '"forge_rest_id":1571652448,"forge_graphql_id":"R_kgDOXa2DYA","url":"https://forge.example/ZsofiaMoreau/canvas-go","name":"canvas-go","full_name":"ZsofiaMoreau/canvas-go","private":false,"owner_login":"ZsofiaMoreau","owner_avatar_url":"https://avatars.forge.example/u/768287041?v=4","description":"A small canvas go that does one thing","homepage":null,"fork":false,"forks_count":966,"archived":true,"disabled":false,"license":null,"language":"Python","stargazers_count":4762,"watchers_count":4762,"open_issues_count":0,"has_issues":true,"has_discussions":true,"has_projects":true,"created_at":1619423680,"updated_at":1722284396,"pushed_at":1628096629,"visibility":"public","size":10733,"default_branch":"main"', '[{"url":"https://forge.example/ZsofiaMoreau/canvas-go","first_use_date":1622671232,"last_use_date":null,"updated_at":1624067724,"status":"active","dependency":{"dependency_name":"celery","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/ZsofiaMoreau/canvas-go","first_use_date":1620773781,"last_use_date":null,"updated_at":1626811188,"status":"active","dependency":{"dependency_name":"pydantic","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/ZsofiaMoreau/canvas-go","first_use_date":1627476753,"last_use_date":null,"updated_at":1627814539,"status":"active","dependency":{"dependency_name":"python-dotenv","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/ZsofiaMoreau/canvas-go","first_use_date":1620362010,"last_use_date":null,"updated_at":1624973363,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}}]', 4, DEFAULT),
	(15, 134516425, 'NKOVACS/PUZZLE', 'FORGE.EXAMPLE/NKOVACS/PUZZLE', 1707900696, '{181,199,178,174,209,213}', 1, '"forge_rest_id":134516425,"forge_graphql_id":"R_kgDOCASOyQ","url":"https://forge.example/nkovacs/puzzle","name":"puzzle","full_name":"nkovacs/puzzle","private":false,"owner_login":"nkovacs","owner_avatar_url":"https://avatars.forge.example/u/2124204243?v=4","description":"Experiments with puzzle, mostly unfinished","homepage":null,"fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"Unlicense","language":"TypeScript","stargazers_count":1,"watchers_count":1,"open_issues_count":49,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1684438605,"updated_at":1709834953,"pushed_at":1707900696,"visibility":"public","size":31048,"default_branch":"main"', '[{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1689705513,"last_use_date":null,"updated_at":1690797120,"status":"active","dependency":{"dependency_name":"@babel/core","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1686717890,"last_use_date":null,"updated_at":1690595780,"status":"active","dependency":{"dependency_name":"@types/node","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1686821084,"last_use_date":null,"updated_at":1704952406,"status":"active","dependency":{"dependency_name":"dotenv","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1686474760,"last_use_date":null,"updated_at":1695124184,"status":"active","dependency":{"dependency_name":"express","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1702996765,"last_use_date":null,"updated_at":1707622034,"status":"active","dependency":{"dependency_name":"immer","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1692685862,"last_use_date":1703964189,"updated_at":1703964189,"status":"removed","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1699217642,"last_use_date":null,"updated_at":1702542064,"status":"active","dependency":{"dependency_name":"prettier","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1696200144,"last_use_date":null,"updated_at":1699932859,"status":"active","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1684507171,"last_use_date":null,"updated_at":1687138417,"status":"active","dependency":{"dependency_name":"react-router-dom","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1685741012,"last_use_date":null,"updated_at":1690587757,"status":"active","dependency":{"dependency_name":"redis","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1686539227,"last_use_date":null,"updated_at":1687555908,"status":"active","dependency":{"dependency_name":"socket.io","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1686795219,"last_use_date":null,"updated_at":1704220366,"status":"active","dependency":{"dependency_name":"svelte","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1687201118,"last_use_date":null,"updated_at":1702149457,"status":"active","dependency":{"dependency_name":"tailwindcss","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1685464777,"last_use_date":null,"updated_at":1688618121,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1701741859,"last_use_date":null,"updated_at":1707002513,"status":"active","dependency":{"dependency_name":"vite","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1687186537,"last_use_date":null,"updated_at":1701994638,"status":"active","dependency":{"dependency_name":"ws","dependency_file":"package.json"}},{"url":"https://forge.example/nkovacs/puzzle","first_use_date":1685484040,"last_use_date":null,"updated_at":1691525926,"status":"active","dependency":{"dependency_name":"yargs","dependency_file":"package.json"}}]', 17, DEFAULT),
	(21, 1410866736, 'NALEDI-CODES/WALLET-JS', 'FORGE.EXAMPLE/NALEDI-CODES/WALLET-JS', 1500940687, '{181,206,178,174,224,223}', 1, '"forge_rest_id":1410866736,"forge_graphql_id":"R_kgDOVBgeMA","url":"https://forge.example/naledi-codes/wallet-js","name":"wallet-js","full_name":"naledi-codes/wallet-js","private":false,"owner_login":"naledi-codes","owner_avatar_url":"https://avatars.forge.example/u/842699907?v=4","description":"Ein kleines Werkzeug: wallet","homepage":null,"fork":false,"forks_count":14,"archived":false,"disabled":false,"license":"MIT","language":"TypeScript","stargazers_count":133,"watchers_count":133,"open_issues_count":18,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1485077902,"updated_at":1585964894,"pushed_at":1500940687,"visibility":"public","size":780,"default_branch":"main"', '[{"url":"https://forge.example/naledi-codes/wallet-js","first_use_date":1485657339,"last_use_date":null,"updated_at":1500097394,"status":"active","dependency":{"dependency_name":"hono","dependency_file":"package.json"}},{"url":"https://forge.example/naledi-codes/wallet-js","first_use_date":1494766517,"last_use_date":null,"updated_at":1496475142,"status":"active","dependency":{"dependency_name":"jest","dependency_file":"package.json"}},{"url":"https://forge.example/naledi-codes/wallet-js","first_use_date":1496152839,"last_use_date":null,"updated_at":1496287943,"status":"active","dependency":{"dependency_name":"postcss","dependency_file":"package.json"}},{"url":"https://forge.example/naledi-codes/wallet-js","first_use_date":1494234333,"last_use_date":null,"updated_at":1494994739,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}}]', 4, DEFAULT),
	(16, 2187311307, 'KOWALSKI-DEV/MOSAIC-API', 'FORGE.EXAMPLE/KOWALSKI-DEV/MOSAIC-API', 1734354684, '{198,206,178,174,214,215}', 1, '"forge_rest_id":2187311307,"forge_graphql_id":"R_kgDOgl-4yw","url":"https://forge.example/kowalski-dev/mosaic-api","name":"mosaic-api","full_name":"kowalski-dev/mosaic-api","private":false,"owner_login":"kowalski-dev","owner_avatar_url":"https://avatars.forge.example/u/1945660865?v=4","description":"mosaic for people in a hurry 🚀","homepage":null,"fork":false,"forks_count":318,"archived":false,"disabled":false,"license":"MIT","language":"JavaScript","stargazers_count":1100,"watchers_count":1100,"open_issues_count":1,"has_issues":true,"has_discussions":false,"has_projects":false,"created_at":1669348717,"updated_at":1743048018,"pushed_at":1734354684,"visibility":"public","size":14999,"default_branch":"main"', '[{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1718967090,"last_use_date":null,"updated_at":1728598440,"status":"active","dependency":{"dependency_name":"@babel/core","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1671565331,"last_use_date":null,"updated_at":1684353827,"status":"active","dependency":{"dependency_name":"@tanstack/react-query","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1713954360,"last_use_date":1727772567,"updated_at":1727772567,"status":"removed","dependency":{"dependency_name":"@types/react","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1672019230,"last_use_date":1684682039,"updated_at":1684682039,"status":"removed","dependency":{"dependency_name":"classnames","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1718802650,"last_use_date":null,"updated_at":1724461221,"status":"active","dependency":{"dependency_name":"eslint","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1670789516,"last_use_date":null,"updated_at":1724241923,"status":"active","dependency":{"dependency_name":"express","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1721054567,"last_use_date":null,"updated_at":1727794454,"status":"active","dependency":{"dependency_name":"glob","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1669953311,"last_use_date":null,"updated_at":1709594924,"status":"active","dependency":{"dependency_name":"husky","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1690839527,"last_use_date":null,"updated_at":1719876872,"status":"active","dependency":{"dependency_name":"immer","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1669544439,"last_use_date":null,"updated_at":1695819551,"status":"active","dependency":{"dependency_name":"jest","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1716590953,"last_use_date":1724589364,"updated_at":1724589364,"status":"removed","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1672271535,"last_use_date":1706234289,"updated_at":1706234289,"status":"removed","dependency":{"dependency_name":"nodemon","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1670785938,"last_use_date":null,"updated_at":1694979766,"status":"active","dependency":{"dependency_name":"pino","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1686580008,"last_use_date":null,"updated_at":1711994731,"status":"active","dependency":{"dependency_name":"playwright","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1693106996,"last_use_date":null,"updated_at":1720270796,"status":"active","dependency":{"dependency_name":"prisma","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1669917074,"last_use_date":1690559673,"updated_at":1690559673,"status":"removed","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1671029692,"last_use_date":1678469247,"updated_at":1678469247,"status":"removed","dependency":{"dependency_name":"react-dom","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1728661254,"last_use_date":null,"updated_at":1729648664,"status":"active","dependency":{"dependency_name":"tailwindcss","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1669739888,"last_use_date":null,"updated_at":1726449893,"status":"active","dependency":{"dependency_name":"ts-node","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1671224156,"last_use_date":null,"updated_at":1712977151,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1707292535,"last_use_date":null,"updated_at":1728383091,"status":"active","dependency":{"dependency_name":"valibot","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1712565067,"last_use_date":null,"updated_at":1733398325,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1690715298,"last_use_date":null,"updated_at":1719408742,"status":"active","dependency":{"dependency_name":"webpack","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1671991815,"last_use_date":null,"updated_at":1673124616,"status":"active","dependency":{"dependency_name":"winston","dependency_file":"package.json"}},{"url":"https://forge.example/kowalski-dev/mosaic-api","first_use_date":1671482115,"last_use_date":null,"updated_at":1680265490,"status":"active","dependency":{"dependency_name":"zod","dependency_file":"package.json"}}]', 25, DEFAULT),
	(17, 387557388, 'NSCHAFER/CLOUD-TOOLS', 'FORGE.EXAMPLE/NSCHAFER/CLOUD-TOOLS', 1730794199, '{194,206,178,174,216,217}', 1, '"forge_rest_id":387557388,"forge_graphql_id":"R_kgDOFxmoDA","url":"https://forge.example/nschafer/cloud-tools","name":"cloud-tools","full_name":"nschafer/cloud-tools","private":false,"owner_login":"nschafer","owner_avatar_url":"https://avatars.forge.example/u/2165946504?v=4","description":"Biblioteca de cloud para todos","homepage":null,"fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"MIT","language":"Python","stargazers_count":2,"watchers_count":2,"open_issues_count":55,"has_issues":true,"has_discussions":false,"has_projects":null,"created_at":1730066112,"updated_at":1738836979,"pushed_at":1730794199,"visibility":"public","size":2128,"default_branch":"trunk"', '[{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730786865,"last_use_date":null,"updated_at":1730792710,"status":"active","dependency":{"dependency_name":"PyYAML","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730442175,"last_use_date":null,"updated_at":1730790798,"status":"active","dependency":{"dependency_name":"django","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730287131,"last_use_date":null,"updated_at":1730688520,"status":"active","dependency":{"dependency_name":"httpx","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730770692,"last_use_date":null,"updated_at":1730779601,"status":"active","dependency":{"dependency_name":"numpy","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730328396,"last_use_date":1730660449,"updated_at":1730660449,"status":"removed","dependency":{"dependency_name":"pandas","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730718196,"last_use_date":null,"updated_at":1730738115,"status":"active","dependency":{"dependency_name":"pydantic","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730386589,"last_use_date":null,"updated_at":1730436813,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730332042,"last_use_date":null,"updated_at":1730682674,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730244617,"last_use_date":null,"updated_at":1730737948,"status":"active","dependency":{"dependency_name":"rich","dependency_file":"requirements.txt"}},{"url":"https://forge.example/nschafer/cloud-tools","first_use_date":1730131351,"last_use_date":null,"updated_at":1730282169,"status":"active","dependency":{"dependency_name":"tox","dependency_file":"requirements.txt"}}]', 10, DEFAULT),
	(18, 1970574895, 'YARROW-COLLECTIVE/IMAGE-SERVICE', 'FORGE.EXAMPLE/YARROW-COLLECTIVE/IMAGE-SERVICE', 1724135217, '{181,178,174,219,218}', 1, '"forge_rest_id":1970574895,"forge_graphql_id":"R_kgDOdXSWLw","url":"https://forge.example/yarrow-collective/image-service","name":"image-service","full_name":"yarrow-collective/image-service","private":false,"owner_login":"yarrow-collective","owner_avatar_url":"https://avatars.forge.example/u/1967928690?v=4","description":"A small image service that does one thing","homepage":null,"fork":false,"forks_count":1985,"archived":false,"disabled":false,"license":null,"language":"TypeScript","stargazers_count":20369,"watchers_count":20369,"open_issues_count":17,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1641527475,"updated_at":1745301310,"pushed_at":1724135217,"visibility":"public","size":7052,"default_branch":"trunk"', '[{"url":"https://forge.example/yarrow-collective/image-service","first_use_date":1642899057,"last_use_date":null,"updated_at":1688184403,"status":"active","dependency":{"dependency_name":"eslint","dependency_file":"package.json"}},{"url":"https://forge.example/yarrow-collective/image-service","first_use_date":1643574370,"last_use_date":null,"updated_at":1694626224,"status":"active","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/yarrow-collective/image-service","first_use_date":1642518085,"last_use_date":null,"updated_at":1700322010,"status":"active","dependency":{"dependency_name":"playwright","dependency_file":"package.json"}},{"url":"https://forge.example/yarrow-collective/image-service","first_use_date":1641835716,"last_use_date":null,"updated_at":1696391194,"status":"active","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/yarrow-collective/image-service","first_use_date":1678329443,"last_use_date":null,"updated_at":1710145028,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/yarrow-collective/image-service","first_use_date":1643081486,"last_use_date":null,"updated_at":1676854180,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}}]', 6, DEFAULT),
	(19, 705337617, 'KOWALSKI-DEV/LEDGER-CLIENT', 'FORGE.EXAMPLE/KOWALSKI-DEV/LEDGER-CLIENT', 1685103881, '{194,206,178,174,220}', 1, '"forge_rest_id":705337617,"forge_graphql_id":"R_kgDOKgqZEQ","url":"https://forge.example/kowalski-dev/ledger-client","name":"ledger-client","full_name":"kowalski-dev/ledger-client","private":false,"owner_login":"kowalski-dev","owner_avatar_url":"https://avatars.forge.example/u/1945660865?v=4","description":"A small ledger client that does one thing","homepage":"https://ledger-client.example/","fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"MIT","language":"Python","stargazers_count":0,"watchers_count":0,"open_issues_count":83,"has_issues":true,"has_discussions":true,"has_projects":false,"created_at":1666403447,"updated_at":1708299219,"pushed_at":1685103881,"visibility":"public","size":39159,"default_branch":"main"', '[{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1682129984,"last_use_date":null,"updated_at":1682688184,"status":"active","dependency":{"dependency_name":"black","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1669334760,"last_use_date":null,"updated_at":1674592956,"status":"active","dependency":{"dependency_name":"fastapi","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1672464366,"last_use_date":null,"updated_at":1683641741,"status":"active","dependency":{"dependency_name":"grpcio","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1671742922,"last_use_date":1682861367,"updated_at":1682861367,"status":"removed","dependency":{"dependency_name":"httpx","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1667967063,"last_use_date":null,"updated_at":1679430889,"status":"active","dependency":{"dependency_name":"numpy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1667767501,"last_use_date":null,"updated_at":1678602898,"status":"active","dependency":{"dependency_name":"pandas","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1668883872,"last_use_date":null,"updated_at":1684273708,"status":"active","dependency":{"dependency_name":"pydantic","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1668233782,"last_use_date":null,"updated_at":1674083959,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1667061276,"last_use_date":null,"updated_at":1669691453,"status":"active","dependency":{"dependency_name":"pytest-cov","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1668265521,"last_use_date":null,"updated_at":1668565097,"status":"active","dependency":{"dependency_name":"pyyaml","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1666999518,"last_use_date":null,"updated_at":1681589641,"status":"active","dependency":{"dependency_name":"redis","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1678704075,"last_use_date":1678917185,"updated_at":1678917185,"status":"removed","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1682851778,"last_use_date":null,"updated_at":1685042246,"status":"active","dependency":{"dependency_name":"scipy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1666409103,"last_use_date":null,"updated_at":1677218814,"status":"active","dependency":{"dependency_name":"selenium","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1676521447,"last_use_date":1682039346,"updated_at":1682039346,"status":"removed","dependency":{"dependency_name":"sqlalchemy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1683841405,"last_use_date":1685095469,"updated_at":1685095469,"status":"removed","dependency":{"dependency_name":"tensorflow","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1666687578,"last_use_date":null,"updated_at":1666861806,"status":"active","dependency":{"dependency_name":"tox","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/kowalski-dev/ledger-client","first_use_date":1679518069,"last_use_date":null,"updated_at":1684735685,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}}]', 18, DEFAULT),
	(20, 1151400962, 'XIAOMING-W/CACHE-GO', 'FORGE.EXAMPLE/XIAOMING-W/CACHE-GO', 1694605639, '{181,176,178,174,221,222}', 1, '"forge_rest_id":1151400962,"forge_graphql_id":"R_kgDORKD8Ag","url":"https://forge.example/xiaoming-w/cache-go","name":"cache-go","full_name":"xiaoming-w/cache-go","private":false,"owner_login":"xiaoming-w","owner_avatar_url":"https://avatars.forge.example/u/1535820456?v=4","description":"A cache without dependencies (almost)","homepage":null,"fork":false,"forks_count":53,"archived":false,"disabled":false,"license":"AGPL-3.0","language":"TypeScript","stargazers_count":1093,"watchers_count":1093,"open_issues_count":19,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1630178184,"updated_at":1739331990,"pushed_at":1694605639,"visibility":"public","size":47727,"default_branch":"main"', '[{"url":"https://forge.example/xiaoming-w/cache-go","first_use_date":1677827087,"last_use_date":null,"updated_at":1683585506,"status":"active","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/xiaoming-w/cache-go","first_use_date":1664909912,"last_use_date":null,"updated_at":1671785980,"status":"active","dependency":{"dependency_name":"next","dependency_file":"package.json"}},{"url":"https://forge.example/xiaoming-w/cache-go","first_use_date":1631291334,"last_use_date":null,"updated_at":1676945917,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"package.json"}},{"url":"https://forge.example/xiaoming-w/cache-go","first_use_date":1633122016,"last_use_date":null,"updated_at":1644009237,"status":"active","dependency":{"dependency_name":"prettier","dependency_file":"package.json"}},{"url":"https://forge.example/xiaoming-w/cache-go","first_use_date":1649458609,"last_use_date":null,"updated_at":1654721026,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}}]', 5, DEFAULT),
	(22, 285133874, 'SIMA-LEVI/SESSION-EXAMPLES', 'FORGE.EXAMPLE/SIMA-LEVI/SESSION-EXAMPLES', 1736705676, '{198,195,178,174,226,225}', 1, '"forge_rest_id":285133874,"forge_graphql_id":"R_kgDOEP7MMg","url":"https://forge.example/sima-levi/session-examples","name":"session-examples","full_name":"sima-levi/session-examples","private":false,"owner_login":"sima-levi","owner_avatar_url":"https://avatars.forge.example/u/529860317?v=4","description":"A session without dependencies (almost)","homepage":null,"fork":false,"forks_count":3109,"archived":false,"disabled":false,"license":"BSD-3-Clause","language":"JavaScript","stargazers_count":14069,"watchers_count":14069,"open_issues_count":57,"has_issues":true,"has_discussions":false,"has_projects":false,"created_at":1324609272,"updated_at":1745245139,"pushed_at":1736705676,"visibility":"public","size":5896,"default_branch":"main"', '[{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1325519407,"last_use_date":null,"updated_at":1498941844,"status":"active","dependency":{"dependency_name":"chalk","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1487272399,"last_use_date":1714280086,"updated_at":1714280086,"status":"removed","dependency":{"dependency_name":"express","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1527840415,"last_use_date":null,"updated_at":1579190736,"status":"active","dependency":{"dependency_name":"fastify","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1540173930,"last_use_date":null,"updated_at":1606145053,"status":"active","dependency":{"dependency_name":"graphql","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1327078425,"last_use_date":null,"updated_at":1553309053,"status":"active","dependency":{"dependency_name":"jest","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":null,"last_use_date":null,"updated_at":1646195605,"status":"active","dependency":{"dependency_name":"jsonwebtoken","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1454477990,"last_use_date":null,"updated_at":1469572006,"status":"active","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1617369364,"last_use_date":null,"updated_at":1702122833,"status":"active","dependency":{"dependency_name":"mongoose","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":null,"last_use_date":null,"updated_at":1694770571,"status":"active","dependency":{"dependency_name":"pg","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1324968958,"last_use_date":null,"updated_at":1357614198,"status":"active","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1326376630,"last_use_date":null,"updated_at":1489986015,"status":"active","dependency":{"dependency_name":"react-router-dom","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1682572522,"last_use_date":null,"updated_at":1723540128,"status":"active","dependency":{"dependency_name":"semver","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1688854208,"last_use_date":null,"updated_at":1723653667,"status":"active","dependency":{"dependency_name":"socket.io","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1325932386,"last_use_date":null,"updated_at":1463848992,"status":"active","dependency":{"dependency_name":"tailwindcss","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1324870097,"last_use_date":null,"updated_at":1665597170,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1445029239,"last_use_date":null,"updated_at":1645702533,"status":"active","dependency":{"dependency_name":"vitest","dependency_file":"package.json"}},{"url":"https://forge.example/sima-levi/session-examples","first_use_date":1325024922,"last_use_date":null,"updated_at":1488787123,"status":"active","dependency":{"dependency_name":"zustand","dependency_file":"package.json"}}]', 17, DEFAULT),
	(23, 183284383, 'TOMAS-JANSEN/CALENDAR-WORKER', 'FORGE.EXAMPLE/TOMAS-JANSEN/CALENDAR-WORKER', 1724577723, '{192,206,178,174,227}', 1, '"forge_rest_id":183284383,"forge_graphql_id":"R_kgDOCuyynw","url":"https://forge.example/tomas-jansen/calendar-worker","name":"calendar-worker","full_name":"tomas-jansen/calendar-worker","private":false,"owner_login":"tomas-jansen","owner_avatar_url":"https://avatars.forge.example/u/720818433?v=4","description":"Fast, typed and tested calendar worker","homepage":"https://calendar-worker.example/","fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"MIT","language":"Go","stargazers_count":0,"watchers_count":0,"open_issues_count":50,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1388500717,"updated_at":1750071785,"pushed_at":1724577723,"visibility":"public","size":20896,"default_branch":"main"', '[{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1391305962,"last_use_date":null,"updated_at":1704996059,"status":"active","dependency":{"dependency_name":"express","dependency_file":"package.json"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1467177419,"last_use_date":null,"updated_at":1480064290,"status":"active","dependency":{"dependency_name":"github.com/BurntSushi/toml","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1391435909,"last_use_date":null,"updated_at":1557887324,"status":"active","dependency":{"dependency_name":"github.com/gin-gonic/gin","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1388893593,"last_use_date":null,"updated_at":1452131555,"status":"active","dependency":{"dependency_name":"github.com/go-chi/chi/v5","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1389244150,"last_use_date":null,"updated_at":1554123373,"status":"active","dependency":{"dependency_name":"github.com/google/uuid","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1635418477,"last_use_date":null,"updated_at":1687405698,"status":"active","dependency":{"dependency_name":"github.com/gorilla/mux","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1439359478,"last_use_date":1620872095,"updated_at":1620872095,"status":"removed","dependency":{"dependency_name":"github.com/jackc/pgx/v5","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1405808564,"last_use_date":1482167831,"updated_at":1482167831,"status":"removed","dependency":{"dependency_name":"github.com/labstack/echo/v4","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1390780846,"last_use_date":null,"updated_at":1404711922,"status":"active","dependency":{"dependency_name":"github.com/rs/zerolog","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1473137964,"last_use_date":1581943474,"updated_at":1581943474,"status":"removed","dependency":{"dependency_name":"github.com/spf13/cobra","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1520253516,"last_use_date":null,"updated_at":1607777269,"status":"active","dependency":{"dependency_name":"github.com/stretchr/testify","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1472160991,"last_use_date":null,"updated_at":1697671590,"status":"active","dependency":{"dependency_name":"go.uber.org/zap","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1572027611,"last_use_date":1706646823,"updated_at":1706646823,"status":"removed","dependency":{"dependency_name":"golang.org/x/net","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1658600840,"last_use_date":1702315485,"updated_at":1702315485,"status":"removed","dependency":{"dependency_name":"golang.org/x/sync","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1437596353,"last_use_date":null,"updated_at":1528097881,"status":"active","dependency":{"dependency_name":"google.golang.org/grpc","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1389496124,"last_use_date":null,"updated_at":1433245889,"status":"active","dependency":{"dependency_name":"k8s.io/client-go","dependency_file":"go.mod"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1390613360,"last_use_date":null,"updated_at":1547153771,"status":"active","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1389285668,"last_use_date":null,"updated_at":1465570417,"status":"active","dependency":{"dependency_name":"prettier","dependency_file":"package.json"}},{"url":"https://forge.example/tomas-jansen/calendar-worker","first_use_date":1391421993,"last_use_date":null,"updated_at":1594318231,"status":"active","dependency":{"dependency_name":"react","dependency_file":"package.json"}}]', 19, DEFAULT),
	(24, 1253377999, 'RAVI5/QUEUE-LIB', 'FORGE.EXAMPLE/RAVI5/QUEUE-LIB', 1737179547, '{229,178,174,228,230}', 1, '"forge_rest_id":1253377999,"forge_graphql_id":"R_kgDOSrUHzw","url":"https://forge.example/ravi5/queue-lib","name":"queue-lib","full_name":"ravi5/queue-lib","private":false,"owner_login":"ravi5","owner_avatar_url":"https://avatars.forge.example/u/1408064305?v=4","description":"The queue behind our products","homepage":null,"fork":false,"forks_count":243,"archived":false,"disabled":false,"license":null,"language":"Java","stargazers_count":2037,"watchers_count":2037,"open_issues_count":83,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1728803321,"updated_at":1737660361,"pushed_at":1737179547,"visibility":"public","size":19820,"default_branch":"main"', '[{"url":"https://forge.example/ravi5/queue-lib","first_use_date":1729229757,"last_use_date":null,"updated_at":1730823039,"status":"active","dependency":{"dependency_name":"com.fasterxml.jackson.core:jackson-databind","dependency_file":"pom.xml"}},{"url":"https://forge.example/ravi5/queue-lib","first_use_date":1731031895,"last_use_date":1735162821,"updated_at":1735162821,"status":"removed","dependency":{"dependency_name":"org.springframework.boot:spring-boot-starter-web","dependency_file":"pom.xml"}}]', 2, DEFAULT),
	(25, 487891286, 'MADSBARBOSA/VECTOR-API', 'FORGE.EXAMPLE/MADSBARBOSA/VECTOR-API', 1505270149, '{192,178,174,231}', 1, '"forge_rest_id":487891286,"forge_graphql_id":"R_kgDOHRShVg","url":"https://forge.example/madsbarbosa/vector-api","name":"vector-api","full_name":"madsbarbosa/vector-api","private":false,"owner_login":"madsbarbosa","owner_avatar_url":"https://avatars.forge.example/u/324423631?v=4","description":"The vector behind our products","homepage":"https://vector-api.example/","fork":false,"forks_count":0,"archived":false,"disabled":false,"license":null,"language":"Go","stargazers_count":0,"watchers_count":0,"open_issues_count":80,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1475175355,"updated_at":1645229649,"pushed_at":1505270149,"visibility":"public","size":33932,"default_branch":"main"', '[{"url":"https://forge.example/madsbarbosa/vector-api","first_use_date":1477731186,"last_use_date":null,"updated_at":1483538454,"status":"active","dependency":{"dependency_name":"github.com/labstack/echo/v4","dependency_file":"go.mod"}},{"url":"https://forge.example/madsbarbosa/vector-api","first_use_date":1477490702,"last_use_date":1483290309,"updated_at":1483290309,"status":"removed","dependency":{"dependency_name":"golang.org/x/sync","dependency_file":"go.mod"}}]', 2, DEFAULT),
	(26, 1233608631, 'RHADDAD/SNIPPET-UI', 'FORGE.EXAMPLE/RHADDAD/SNIPPET-UI', 1657509046, '{194,178,174,233,232}', 1, '"forge_rest_id":1233608631,"forge_graphql_id":"R_kgDOSYdftw","url":"https://forge.example/rhaddad/snippet-ui","name":"snippet-ui","full_name":"rhaddad/snippet-ui","private":false,"owner_login":"rhaddad","owner_avatar_url":"https://avatars.forge.example/u/1819379775?v=4","description":"Fast, typed and tested snippet ui","homepage":null,"fork":false,"forks_count":1630,"archived":false,"disabled":false,"license":null,"language":"Python","stargazers_count":7181,"watchers_count":7181,"open_issues_count":11,"has_issues":true,"has_discussions":false,"has_projects":false,"created_at":1640992627,"updated_at":1688108220,"pushed_at":1657509046,"visibility":"public","size":44794,"default_branch":"master"', '[{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1649608521,"last_use_date":null,"updated_at":1651439569,"status":"active","dependency":{"dependency_name":"@prisma/client","dependency_file":"package.json"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1644013604,"last_use_date":null,"updated_at":1657497486,"status":"active","dependency":{"dependency_name":"flask","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1645623920,"last_use_date":1646677496,"updated_at":1646677496,"status":"removed","dependency":{"dependency_name":"lodash","dependency_file":"package.json"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1642799871,"last_use_date":null,"updated_at":1649315315,"status":"active","dependency":{"dependency_name":"pandas","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1653755456,"last_use_date":null,"updated_at":1657037811,"status":"active","dependency":{"dependency_name":"prettier","dependency_file":"package.json"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1643320106,"last_use_date":null,"updated_at":1646869461,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1642150152,"last_use_date":1646419789,"updated_at":1646419789,"status":"removed","dependency":{"dependency_name":"react","dependency_file":"package.json"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1642040533,"last_use_date":null,"updated_at":1642738845,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1654153625,"last_use_date":1657235854,"updated_at":1657235854,"status":"removed","dependency":{"dependency_name":"styled-components","dependency_file":"package.json"}},{"url":"https://forge.example/rhaddad/snippet-ui","first_use_date":1650874588,"last_use_date":1651510624,"updated_at":1651510624,"status":"removed","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}}]', 10, DEFAULT),
	(27, 728093105, 'KARIMBECKER/ORBIT', 'FORGE.EXAMPLE/KARIMBECKER/ORBIT', 1748957934, '{192,178,174,209,234}', 1, '"forge_rest_id":728093105,"forge_graphql_id":"R_kgDOK2XRsQ","url":"https://forge.example/KarimBecker/orbit","name":"orbit","full_name":"KarimBecker/orbit","private":false,"owner_login":"KarimBecker","owner_avatar_url":"https://avatars.forge.example/u/1006815023?v=4","description":"My orbit, in public","homepage":"https://orbit.example/","fork":false,"forks_count":0,"archived":false,"disabled":false,"license":null,"language":"Go","stargazers_count":1,"watchers_count":1,"open_issues_count":82,"has_issues":true,"has_discussions":false,"has_projects":true,"created_at":1742365521,"updated_at":1750048492,"pushed_at":1748957934,"visibility":"public","size":1827,"default_branch":"main"', '[{"url":"https://forge.example/KarimBecker/orbit","first_use_date":1742888655,"last_use_date":null,"updated_at":1745602353,"status":"active","dependency":{"dependency_name":"github.com/google/uuid","dependency_file":"go.mod"}},{"url":"https://forge.example/KarimBecker/orbit","first_use_date":1745104958,"last_use_date":null,"updated_at":1748740113,"status":"active","dependency":{"dependency_name":"github.com/gorilla/mux","dependency_file":"go.mod"}},{"url":"https://forge.example/KarimBecker/orbit","first_use_date":1744389133,"last_use_date":1747686933,"updated_at":1747686933,"status":"removed","dependency":{"dependency_name":"github.com/spf13/viper","dependency_file":"go.mod"}},{"url":"https://forge.example/KarimBecker/orbit","first_use_date":1744695241,"last_use_date":null,"updated_at":1747151492,"status":"active","dependency":{"dependency_name":"github.com/stretchr/testify","dependency_file":"go.mod"}},{"url":"https://forge.example/KarimBecker/orbit","first_use_date":1743554541,"last_use_date":null,"updated_at":1747602861,"status":"active","dependency":{"dependency_name":"gopkg.in/yaml.v3","dependency_file":"go.mod"}},{"url":"https://forge.example/KarimBecker/orbit","first_use_date":1746315954,"last_use_date":1748425715,"updated_at":1748425715,"status":"removed","dependency":{"dependency_name":"k8s.io/client-go","dependency_file":"go.mod"}}]', 6, DEFAULT),
	(28, 992838135, 'HIVERSEN/GROCERY-ENGINE', 'FORGE.EXAMPLE/HIVERSEN/GROCERY-ENGINE', 1695172324, '{177,178,174,235,236}', 1, '"forge_rest_id":992838135,"forge_graphql_id":"R_kgDOOy2B9w","url":"https://forge.example/hiversen/grocery-engine","name":"grocery-engine","full_name":"hiversen/grocery-engine","private":false,"owner_login":"hiversen","owner_avatar_url":"https://avatars.forge.example/u/1428567070?v=4","description":"The grocery behind our products","homepage":null,"fork":false,"forks_count":29,"archived":false,"disabled":false,"license":null,"language":"Ruby","stargazers_count":230,"watchers_count":230,"open_issues_count":108,"has_issues":true,"has_discussions":true,"has_projects":true,"created_at":1599312399,"updated_at":1731077776,"pushed_at":1695172324,"visibility":"public","size":49673,"default_branch":"main"', '[{"url":"https://forge.example/hiversen/grocery-engine","first_use_date":1614149270,"last_use_date":null,"updated_at":1648225492,"status":"active","dependency":{"dependency_name":"tailwindcss","dependency_file":"package.json"}},{"url":"https://forge.example/hiversen/grocery-engine","first_use_date":1627004436,"last_use_date":null,"updated_at":1691005754,"status":"active","dependency":{"dependency_name":"turbo-rails","dependency_file":"Gemfile"}}]', 2, DEFAULT),
	(29, 456957128, 'KATARINAMOHAMED/PUZZLE-UI', 'FORGE.EXAMPLE/KATARINAMOHAMED/PUZZLE-UI', 1746895498, '{194,206,178,174,238,237}', 1, '"forge_rest_id":456957128,"forge_graphql_id":"R_kgDOGzycyA","url":"https://forge.example/katarinamohamed/puzzle-ui","name":"puzzle-ui","full_name":"katarinamohamed/puzzle-ui","private":false,"owner_login":"katarinamohamed","owner_avatar_url":"https://avatars.forge.example/u/414016786?v=4","description":"Course material: build your own puzzle","homepage":null,"fork":false,"forks_count":2,"archived":false,"disabled":false,"license":"MIT","language":"Python","stargazers_count":25,"watchers_count":25,"open_issues_count":1,"has_issues":true,"has_discussions":true,"has_projects":true,"created_at":1746296955,"updated_at":1746909469,"pushed_at":1746895498,"visibility":"public","size":18020,"default_branch":"main"', '[{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746349076,"last_use_date":null,"updated_at":1746467831,"status":"active","dependency":{"dependency_name":"Flask","dependency_file":"requirements.txt"}},{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746720479,"last_use_date":null,"updated_at":1746783820,"status":"active","dependency":{"dependency_name":"black","dependency_file":"requirements.txt"}},{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746637213,"last_use_date":null,"updated_at":1746801902,"status":"active","dependency":{"dependency_name":"django","dependency_file":"requirements.txt"}},{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746401085,"last_use_date":1746838615,"updated_at":1746838615,"status":"removed","dependency":{"dependency_name":"mypy","dependency_file":"requirements.txt"}},{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746718657,"last_use_date":1746850957,"updated_at":1746850957,"status":"removed","dependency":{"dependency_name":"pydantic","dependency_file":"requirements.txt"}},{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746354077,"last_use_date":null,"updated_at":1746588506,"status":"active","dependency":{"dependency_name":"pytest-cov","dependency_file":"requirements.txt"}},{"url":"https://forge.example/katarinamohamed/puzzle-ui","first_use_date":1746722970,"last_use_date":null,"updated_at":1746884085,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"requirements.txt"}}]', 7, DEFAULT),
	(30, 2077125955, 'KARIMBECKER/TICKET-ENGINE', 'FORGE.EXAMPLE/KARIMBECKER/TICKET-ENGINE', 1702178810, '{181,206,178,174,239}', 1, '"forge_rest_id":2077125955,"forge_graphql_id":"R_kgDOe85tQw","url":"https://forge.example/KarimBecker/ticket-engine","name":"ticket-engine","full_name":"KarimBecker/ticket-engine","private":false,"owner_login":"KarimBecker","owner_avatar_url":"https://avatars.forge.example/u/1006815023?v=4","description":"The ticket behind our products","homepage":null,"fork":false,"forks_count":0,"archived":false,"disabled":false,"license":"MIT","language":"TypeScript","stargazers_count":0,"watchers_count":0,"open_issues_count":45,"has_issues":true,"has_discussions":false,"has_projects":false,"created_at":1681432961,"updated_at":1730785346,"pushed_at":1702178810,"visibility":"public","size":36394,"default_branch":"develop"', '[{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1683311864,"last_use_date":null,"updated_at":1692419925,"status":"active","dependency":{"dependency_name":"graphql","dependency_file":"package.json"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1695924190,"last_use_date":null,"updated_at":1699232191,"status":"active","dependency":{"dependency_name":"marshmallow","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1681673875,"last_use_date":null,"updated_at":1685420944,"status":"active","dependency":{"dependency_name":"marshmallow","dependency_file":"requirements.txt"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1683246727,"last_use_date":null,"updated_at":1687581318,"status":"active","dependency":{"dependency_name":"numpy","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1697005897,"last_use_date":null,"updated_at":1699509407,"status":"active","dependency":{"dependency_name":"pytest","dependency_file":"requirements.txt"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1690262107,"last_use_date":null,"updated_at":1691665118,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1695842336,"last_use_date":null,"updated_at":1696378513,"status":"active","dependency":{"dependency_name":"requests","dependency_file":"requirements.txt"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1683143133,"last_use_date":null,"updated_at":1694752828,"status":"active","dependency":{"dependency_name":"scikit-learn","dependency_file":"pyproject.toml"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1682606683,"last_use_date":null,"updated_at":1684641218,"status":"active","dependency":{"dependency_name":"scikit-learn","dependency_file":"requirements.txt"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1691189077,"last_use_date":null,"updated_at":1693393760,"status":"active","dependency":{"dependency_name":"tox","dependency_file":"requirements.txt"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1691100221,"last_use_date":null,"updated_at":1691904716,"status":"active","dependency":{"dependency_name":"typescript","dependency_file":"package.json"}},{"url":"https://forge.example/KarimBecker/ticket-engine","first_use_date":1700714889,"last_use_date":null,"updated_at":1701419508,"status":"active","dependency":{"dependency_name":"vite","dependency_file":"package.json"}}]', 12, DEFAULT);


--
-- Data for Name: repository_dependencies; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.repository_dependencies VALUES
	(1, '{242,306,325}', '{NULL,1747711000,1747361029}', '{NULL,NULL,NULL}'),
	(2, '{240,244,246,247,274,278,281,289,293,298,299,301,309,315,352,359,364,365,377,382,394,400,405,411,431,441}', '{NULL,NULL,NULL,NULL,1368980994,1454512165,1371215876,1370369547,1658993491,1370403246,1369420468,1501512089,1531072161,1377661920,1657091367,1654941682,1369556360,1370831153,1517317658,1650406461,1370695544,1651990884,1369477534,1626114293,1370430909,1370156320}', '{NULL,NULL,NULL,NULL,1600676953,NULL,NULL,NULL,NULL,1439267131,NULL,NULL,1652055468,NULL,NULL,NULL,NULL,NULL,1632638189,NULL,NULL,NULL,NULL,NULL,1586262906,NULL}'),
	(3, '{244,246,248,253,266,267,278,281,289,290,297,299,300,301,304,311,319,322,326,333,336,365,373,377,381,384,404,409,426}', '{NULL,NULL,NULL,NULL,1729644142,1728384104,1728359153,1735799892,1732193839,1734437452,1727932604,1727970675,1728820384,1739655824,1728229731,1730010892,1731140835,1736179963,1728038954,1728121156,1733172598,1737374149,1729473249,1727888269,1729883494,1729124841,1728818084,1736090431,1730625084}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1739971009,NULL,NULL,NULL,NULL,NULL,NULL,1735760062,NULL,NULL,1728565795,1738969614,NULL,NULL,1739459967,NULL,NULL,NULL,NULL,NULL}'),
	(4, '{244,250,251,312,342,424,428,453}', '{NULL,NULL,NULL,1698844592,1698844592,1698844592,1698844592,1698844592}', '{NULL,NULL,NULL,1698844592,NULL,NULL,NULL,NULL}'),
	(5, '{242,252,256,257,261,270,273,277,279,292,294,305,306,314,331,335,339,346,351,363,378,391,427,439}', '{NULL,NULL,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838,1745867838}', '{NULL,NULL,NULL,NULL,1745867838,NULL,NULL,NULL,NULL,NULL,NULL,1745867838,NULL,NULL,NULL,NULL,NULL,1745867838,NULL,NULL,1745867838,NULL,NULL,1745867838}'),
	(6, '{244,299}', '{NULL,1615823789}', '{NULL,NULL}'),
	(7, '{243,245,255,258,260,263,276,280,282,285,288,317,318,320,324,332,348,358,372,376,388,413,415,418,420,433,436,437,440,443}', '{NULL,NULL,1731460500,1730767350,1731508458,1730375876,1730319353,1731173416,1731287007,1730488424,1731038007,1731167892,1730894514,1730948742,1730552131,1730822425,1731067012,1730759645,1731280358,1731000186,1730376856,1730912889,1730317293,1731373496,1730739274,1730724374,1731357056,1730566572,1730369924,1730920488}', '{NULL,NULL,NULL,1731255984,NULL,NULL,NULL,1731350188,1731520449,NULL,NULL,NULL,1731020398,NULL,NULL,1731496817,NULL,NULL,1731385705,1731062700,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1731549413}'),
	(8, '{248,253,265,269,272,295,297,304,311,316,323,355,361,368,389,396,397,402,410,421,423}', '{NULL,NULL,1587713526,1599643628,1663097253,1588511032,1627415295,1694904284,1680516378,1587169653,1593122739,1586214671,1587272073,1623207550,1681411085,1628638753,1599978814,1588166658,1586416578,1587514273,1586328444}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1716727571,NULL,1633984825,NULL,NULL,NULL,NULL,NULL,1707805671,NULL}'),
	(9, '{244,246,259,264,266,275,299,307,340,373,377,386,422,434}', '{NULL,NULL,1580839424,1539996817,1565382906,1519259119,1563233094,1560804919,1561555837,1520750893,1519407726,1519940395,1521969520,1522123081}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,1574581564,1567683044,NULL,1561526341,NULL,NULL,1570074530}'),
	(11, '{240,247,248,304,316,327,362,410,419,430,435,444,447,450,452}', '{NULL,NULL,NULL,1736094944,1642173564,1687501993,1641012205,1724544802,1641097451,1674199765,1641130471,1745150406,1639910572,1682221969,1640742761}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1701342382,NULL}'),
	(12, '{248,297}', '{NULL,1733381404}', '{NULL,NULL}'),
	(13, '{242,252,257,270,273,279,292,294,303,306,314,325,331,335,339,350,351,363,378,391,393,412,427,445,451}', '{NULL,NULL,1436791092,1435411911,1448588024,1439830755,1449535292,1456608411,1450124749,1436481228,1436425389,1436484213,1435829586,1435978344,1435800187,1435758414,1445304920,1456256793,1435100766,1437239805,1445995106,1454072321,1444196188,1461650106,1434816106}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1448923616,NULL,NULL,1450357093,NULL,NULL,NULL,NULL,NULL,1445820823}'),
	(14, '{248,304,334,343,371}', '{NULL,1620362010,1627476753,1622671232,1620773781}', '{NULL,NULL,NULL,NULL,NULL}'),
	(15, '{244,246,254,268,275,281,299,300,308,310,315,326,330,347,352,382,386,409,429}', '{NULL,NULL,1685484040,1687201118,1686717890,1686474760,1685464777,1686821084,1685741012,1696200144,1686795219,1684507171,1692685862,1702996765,1699217642,1687186537,1686539227,1701741859,1689705513}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1703964189,NULL,NULL,NULL,NULL,NULL,NULL}'),
	(16, '{244,246,264,266,268,281,287,296,299,322,330,347,366,370,373,377,379,394,395,399,403,405,424,429,432,434,449}', '{NULL,NULL,1707292535,1718802650,1728661254,1670789516,1671029692,1693106996,1671224156,1669544439,1716590953,1690839527,1671565331,1672019230,1712565067,1669917074,1670785938,1721054567,1669953311,1669739888,1713954360,1671482115,1671991815,1718967090,1690715298,1672271535,1686580008}', '{NULL,NULL,NULL,NULL,NULL,NULL,1678469247,NULL,NULL,NULL,1724589364,NULL,NULL,1684682039,NULL,1690559673,NULL,NULL,NULL,NULL,1727772567,NULL,NULL,NULL,NULL,1706234289,NULL}'),
	(17, '{240,247,284,329,344,345,354,362,369,406,430,450}', '{NULL,NULL,1730786865,1730442175,1730244617,1730770692,1730287131,1730332042,1730718196,1730131351,1730386589,1730328396}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1730660449}'),
	(18, '{244,266,299,310,365,373,449}', '{NULL,1642899057,1678329443,1641835716,1643574370,1643081486,1642518085}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}'),
	(19, '{244,248,253,283,291,302,316,341,356,361,371,373,374,375,387,389,390,402,426,438,444}', '{NULL,NULL,NULL,1671742922,1666999518,1667767501,1668233782,1678704075,1682129984,1666409103,1668883872,1679518069,1672464366,1668265521,1676521447,1669334760,1666687578,1667061276,1667967063,1683841405,1682851778}', '{NULL,NULL,NULL,1682861367,NULL,NULL,NULL,1678917185,NULL,NULL,NULL,NULL,NULL,NULL,1682039346,NULL,NULL,NULL,NULL,1685095469,NULL}'),
	(20, '{244,259,278,352,365,373}', '{NULL,1664909912,1631291334,1633122016,1677827087,1649458609}', '{NULL,NULL,NULL,NULL,NULL,NULL}'),
	(21, '{244,322,373,384,398}', '{NULL,1494766517,1494234333,1496152839,1485657339}', '{NULL,NULL,NULL,NULL,NULL}'),
	(22, '{244,246,262,268,278,286,299,310,322,326,338,349,365,373,380,385,386,417,422}', '{NULL,NULL,1325519407,1325932386,NULL,1682572522,1324870097,1324968958,1327078425,1326376630,1617369364,NULL,1454477990,1445029239,1487272399,1325024922,1688854208,1540173930,1527840415}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1714280086,NULL,NULL,NULL,NULL}'),
	(23, '{243,244,245,255,260,263,271,280,281,310,317,332,348,352,353,357,365,383,388,436,440,446}', '{NULL,NULL,NULL,1389244150,1520253516,1388893593,1405808564,1439359478,1391305962,1391421993,1391435909,1473137964,1389496124,1389285668,1467177419,1437596353,1390613360,1572027611,1472160991,1635418477,1390780846,1658600840}', '{NULL,NULL,NULL,NULL,NULL,NULL,1482167831,1620872095,NULL,NULL,NULL,1581943474,NULL,NULL,NULL,NULL,NULL,1706646823,NULL,NULL,NULL,1702315485}'),
	(24, '{241,249,367,401}', '{NULL,NULL,1729229757,1731031895}', '{NULL,NULL,NULL,1735162821}'),
	(25, '{243,245,437,446}', '{NULL,NULL,1477731186,1477490702}', '{NULL,NULL,NULL,1483290309}'),
	(26, '{244,246,248,297,302,304,316,328,330,333,352,377,425}', '{NULL,NULL,NULL,1644013604,1642799871,1642040533,1643320106,1649608521,1645623920,1654153625,1653755456,1642150152,1650874588}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1646677496,1657235854,NULL,1646419789,1651510624}'),
	(27, '{243,245,255,260,276,414,436,442}', '{NULL,NULL,1742888655,1744695241,1743554541,1744389133,1745104958,1746315954}', '{NULL,NULL,NULL,NULL,NULL,1747686933,NULL,1748425715}'),
	(28, '{242,244,268,303}', '{NULL,NULL,1614149270,1627004436}', '{NULL,NULL,NULL,NULL}'),
	(29, '{240,247,313,321,329,337,362,408,416}', '{NULL,NULL,1746349076,1746718657,1746637213,1746720479,1746722970,1746401085,1746354077}', '{NULL,NULL,NULL,1746850957,NULL,NULL,NULL,1746838615,NULL}'),
	(30, '{240,244,248,299,304,360,362,392,406,407,409,417,426,430,448}', '{NULL,NULL,NULL,1691100221,1690262107,1683143133,1695842336,1681673875,1691189077,1682606683,1700714889,1683311864,1683246727,1697005897,1695924190}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}');


--
-- Data for Name: sets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sets VALUES
	(-4, 'users', 0, 38, 37, '\xc109cf033b8101d8010318bb02001e0427f803611ebe10230bcf0701120e1706b712230b19b51743fa0307ba112f03050c'),
	(-4, 'repositories', 0, 38, 101, '\x8a020504051309461304107d031841230bcc01180102010c0200020249060004070a015a230be701080a0408020201c20101120e1105be0116135c00030301120402010e5417137e4101000b170b05c3010d72001e045d2f030552a301086a741505dd0107670d000107080311'),
	(-3, 'users', 0, 38, 98, '\x8a09200a3607f903398e021daf020509070c0a0b030b0a0f0706ac0404010b0b0102121886100003080203010c010a000710030306040b0e86070c02050c010802070a0503030a000b0e88120401081707202003b105e711659003200a36078e11020708001c060e0f0300030711'),
	(-3, 'repositories', 0, 38, 233, '\xb201124c030207030400010705240604000b040b000a02070006010000020607020306021c0703033a1d290003080203010c010a000710030306040b0e305601020c030102021c000103070f090d031003021601060604061f0506120401081707202003b6010b0a223e570c02050c010802070a0503030a000b0e351d081b18060511000701040a0310041d0901010c0508021607101203020301202c0e0008070618200a360725070a0d180e04090100000b12490c074c32100509070c0a0b030b0a0f070607020708001c060e0f03000307116fb90104010b0b010212180a0f772289010707071840043701'),
	(-2, 'users', 0, 38, 74, '\xf409fc03077efb010500f80201fd040101f91009f5070983088003800180017d82018001800180016c011180018001800280016798028001800180018001800180018001800180018002800280025a01a3018001d8012780018001f1018e018001ea01950280018001800180018002cc010000092780018001800180018001'),
	(-2, 'repositories', 0, 38, 169, '\xad010100004040000000390301003d01003b0101043b00390500350900003409380007354a0000310109420000003204480000002a014c0600006e060a00210600490c0027380b13001f09450d0200233c1109031e0107470707001c014b0b090016063d2400184d0b0d170304320427001540181000134e021a001101490d140f0000096400000a0746260b014c25000a010147101808010931390005014d0b1e0001063d1820000303'),
	(0, 'repositories', 0, 31, 30, '\x010000000000000000000000000000000000000000000000000000000000'),
	(65, 'users', 0, 31, 61, '\x01010000000100020000040200000001000002000200000100030301000000030300030100000101020001000101040000030402010003010000010000'),
	(82, 'users', 0, 31, 65, '\x0b01010000010001000000000100010100010100000400030400040100010000000100000001000000000002020101000201000200000000010200000003000000'),
	(174, 'repositories', 0, 31, 28, '\x01000000000000000000000101000000000000000000000000000000'),
	(178, 'repositories', 0, 31, 28, '\x01000000010000000001000000000000000000000000000000000000'),
	(1143662018, 'locations', 0, 31, 1, '\x1b'),
	(1143666062, 'locations', 0, 31, 1, '\x12'),
	(1143666074, 'locations', 0, 31, 1, '\x17'),
	(1144660527, 'locations', 0, 31, 1, '\x08'),
	(1144672768, 'locations', 0, 31, 1, '\x10'),
	(1144694254, 'locations', 0, 31, 1, '\x04'),
	(1144694255, 'locations', 0, 31, 1, '\x05'),
	(1144698339, 'locations', 0, 31, 1, '\x1b'),
	(1144702410, 'locations', 0, 31, 1, '\x06'),
	(464, 'users', 0, 31, 120, '\x010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'),
	(464, 'repositories', 0, 31, 30, '\x010000000000000000000000000000000000000000000000000000000000'),
	(1084183596, 'locations', 0, 31, 1, '\x23'),
	(1087285406, 'locations', 0, 31, 1, '\x23'),
	(1095627972, 'locations', 0, 31, 1, '\x23'),
	(1097725123, 'locations', 0, 31, 1, '\x23'),
	(1099813061, 'locations', 0, 31, 1, '\x23'),
	(1099813068, 'locations', 0, 31, 1, '\x23'),
	(1101894887, 'locations', 0, 31, 1, '\x23'),
	(1102931216, 'locations', 0, 31, 1, '\x23'),
	(1102933229, 'locations', 0, 31, 1, '\x23'),
	(1102940382, 'locations', 0, 31, 1, '\x23'),
	(1107138766, 'locations', 0, 31, 1, '\x08'),
	(1107140851, 'locations', 0, 31, 1, '\x1e'),
	(1107143871, 'locations', 0, 31, 1, '\x08'),
	(1107166374, 'locations', 0, 31, 1, '\x0a'),
	(1107166383, 'locations', 0, 31, 1, '\x0a'),
	(1107166386, 'locations', 0, 31, 1, '\x11'),
	(1107167391, 'locations', 0, 31, 1, '\x08'),
	(1107167404, 'locations', 0, 31, 2, '\x1900'),
	(1107168408, 'locations', 0, 31, 2, '\x1705'),
	(1107168415, 'locations', 0, 31, 1, '\x20'),
	(1107168416, 'locations', 0, 31, 1, '\x12'),
	(1107169429, 'locations', 0, 31, 1, '\x05'),
	(1107170468, 'locations', 0, 31, 1, '\x10'),
	(1107171488, 'locations', 0, 31, 2, '\x1600'),
	(1107172496, 'locations', 0, 31, 1, '\x09'),
	(1107174547, 'locations', 0, 31, 1, '\x06'),
	(1107175555, 'locations', 0, 31, 1, '\x1c'),
	(1107176580, 'locations', 0, 31, 1, '\x14'),
	(1107178632, 'locations', 0, 31, 1, '\x08'),
	(1107179643, 'locations', 0, 31, 1, '\x04'),
	(1107179647, 'locations', 0, 31, 1, '\x0d'),
	(1107179663, 'locations', 0, 31, 1, '\x15'),
	(1107181681, 'locations', 0, 31, 3, '\x180000'),
	(1107181695, 'locations', 0, 31, 2, '\x0c15'),
	(1107183727, 'locations', 0, 31, 1, '\x02'),
	(1107184766, 'locations', 0, 31, 1, '\x1b'),
	(1107185772, 'locations', 0, 31, 1, '\x04'),
	(1107186796, 'locations', 0, 31, 1, '\x0f'),
	(1107188832, 'locations', 0, 31, 1, '\x28'),
	(1107190884, 'locations', 0, 31, 1, '\x15'),
	(1107191911, 'locations', 0, 31, 1, '\x1e'),
	(1108179166, 'locations', 0, 31, 1, '\x23'),
	(1108740230, 'locations', 0, 31, 1, '\x24'),
	(1112344895, 'locations', 0, 31, 1, '\x02'),
	(1113387320, 'locations', 0, 31, 1, '\x08'),
	(1115516104, 'locations', 0, 31, 1, '\x1e'),
	(1118599536, 'locations', 0, 31, 1, '\x08'),
	(1119641965, 'locations', 0, 31, 2, '\x0a06'),
	(1119641966, 'locations', 0, 31, 2, '\x1900'),
	(1119641967, 'locations', 0, 31, 3, '\x170502'),
	(1119641968, 'locations', 0, 31, 1, '\x05'),
	(1119641969, 'locations', 0, 31, 1, '\x10'),
	(1119641970, 'locations', 0, 31, 1, '\x16'),
	(1119641971, 'locations', 0, 31, 1, '\x09'),
	(1119641973, 'locations', 0, 31, 1, '\x06'),
	(1119641974, 'locations', 0, 31, 1, '\x1c'),
	(1119641975, 'locations', 0, 31, 1, '\x14'),
	(1119641978, 'locations', 0, 31, 2, '\x0d07'),
	(1119641980, 'locations', 0, 31, 2, '\x0c15'),
	(1119641983, 'locations', 0, 31, 1, '\x1b'),
	(1119641984, 'locations', 0, 31, 1, '\x04'),
	(1119641985, 'locations', 0, 31, 1, '\x0f'),
	(1119642956, 'locations', 0, 31, 1, '\x23'),
	(1119687724, 'locations', 0, 31, 1, '\x27'),
	(1120187904, 'locations', 0, 31, 1, '\x27'),
	(1123816801, 'locations', 0, 31, 1, '\x02'),
	(1123828037, 'locations', 0, 31, 1, '\x02'),
	(1124870489, 'locations', 0, 31, 1, '\x02'),
	(1136368001, 'locations', 0, 31, 1, '\x03'),
	(1141569982, 'locations', 0, 31, 1, '\x1d'),
	(1141569999, 'locations', 0, 31, 1, '\x10'),
	(1141573059, 'locations', 0, 31, 1, '\x0d'),
	(1141575104, 'locations', 0, 31, 2, '\x0a09'),
	(1141577143, 'locations', 0, 31, 1, '\x0c'),
	(1141578158, 'locations', 0, 31, 1, '\x11'),
	(1141578170, 'locations', 0, 31, 1, '\x06'),
	(1141579150, 'locations', 0, 31, 1, '\x04'),
	(1141579189, 'locations', 0, 31, 1, '\x04');
INSERT INTO public.sets VALUES
	(1141580159, 'locations', 0, 31, 1, '\x17'),
	(1141580192, 'locations', 0, 31, 2, '\x100c'),
	(1141580193, 'locations', 0, 31, 1, '\x0b'),
	(1141580194, 'locations', 0, 31, 2, '\x1600'),
	(1141580195, 'locations', 0, 31, 2, '\x0407'),
	(1141580204, 'locations', 0, 31, 1, '\x05'),
	(1141580211, 'locations', 0, 31, 1, '\x1e'),
	(1141580216, 'locations', 0, 31, 1, '\x09'),
	(1141581180, 'locations', 0, 31, 3, '\x180000'),
	(1141582234, 'locations', 0, 31, 1, '\x1c'),
	(1141584280, 'locations', 0, 31, 1, '\x21'),
	(1141584282, 'locations', 0, 31, 1, '\x0a'),
	(1141584283, 'locations', 0, 31, 1, '\x05'),
	(1141584284, 'locations', 0, 31, 1, '\x16'),
	(1141584286, 'locations', 0, 31, 1, '\x05'),
	(1141585305, 'locations', 0, 31, 1, '\x19'),
	(1141587350, 'locations', 0, 31, 3, '\x180000'),
	(1141587357, 'locations', 0, 31, 1, '\x11'),
	(1141592452, 'locations', 0, 31, 1, '\x1a'),
	(1142613457, 'locations', 0, 31, 1, '\x06'),
	(1142613461, 'locations', 0, 31, 3, '\x070000'),
	(1142613468, 'locations', 0, 31, 1, '\x08'),
	(1142617507, 'locations', 0, 31, 1, '\x14'),
	(1142623674, 'locations', 0, 31, 1, '\x11'),
	(1142626717, 'locations', 0, 31, 2, '\x1900'),
	(1142629784, 'locations', 0, 31, 1, '\x0a'),
	(1142629791, 'locations', 0, 31, 1, '\x0b'),
	(1143651814, 'locations', 0, 31, 1, '\x1d'),
	(1143658924, 'locations', 0, 31, 1, '\x1e'),
	(1143658927, 'locations', 0, 31, 1, '\x20'),
	(1143658952, 'locations', 0, 31, 1, '\x13'),
	(1143659987, 'locations', 0, 31, 1, '\x17'),
	(1143659988, 'locations', 0, 31, 1, '\x12'),
	(1144708549, 'locations', 0, 31, 2, '\x0e00'),
	(1144711607, 'locations', 0, 31, 1, '\x10'),
	(1144719746, 'locations', 0, 31, 1, '\x22'),
	(1145703003, 'locations', 0, 31, 1, '\x04'),
	(1145715209, 'locations', 0, 31, 1, '\x11'),
	(1145739750, 'locations', 0, 31, 1, '\x1b'),
	(1145747915, 'locations', 0, 31, 1, '\x11'),
	(1145747925, 'locations', 0, 31, 1, '\x28'),
	(1145748949, 'locations', 0, 31, 1, '\x02'),
	(1145749962, 'locations', 0, 31, 1, '\x06'),
	(1145749970, 'locations', 0, 31, 1, '\x0a'),
	(1145749975, 'locations', 0, 31, 1, '\x0a'),
	(1145749980, 'locations', 0, 31, 1, '\x14'),
	(1145754043, 'locations', 0, 31, 1, '\x04'),
	(1145754044, 'locations', 0, 31, 1, '\x03'),
	(1145754048, 'locations', 0, 31, 1, '\x0d'),
	(1145754051, 'locations', 0, 31, 4, '\x04020000'),
	(1145754052, 'locations', 0, 31, 1, '\x09'),
	(1145754059, 'locations', 0, 31, 1, '\x1e'),
	(1145754061, 'locations', 0, 31, 1, '\x21'),
	(1145754067, 'locations', 0, 31, 1, '\x21'),
	(1145755040, 'locations', 0, 31, 1, '\x0a'),
	(1145755065, 'locations', 0, 31, 1, '\x21'),
	(1145755076, 'locations', 0, 31, 1, '\x10'),
	(1145756089, 'locations', 0, 31, 1, '\x04'),
	(1145759112, 'locations', 0, 31, 1, '\x15'),
	(1145760174, 'locations', 0, 31, 1, '\x12'),
	(1145761201, 'locations', 0, 31, 1, '\x08'),
	(1146787303, 'locations', 0, 31, 1, '\x21'),
	(1146796481, 'locations', 0, 31, 2, '\x1600'),
	(1147821576, 'locations', 0, 31, 1, '\x06'),
	(1147825662, 'locations', 0, 31, 1, '\x0a'),
	(1147825666, 'locations', 0, 31, 2, '\x0903'),
	(1147835877, 'locations', 0, 31, 1, '\x0d'),
	(1147840978, 'locations', 0, 31, 1, '\x28'),
	(1148842532, 'locations', 0, 31, 1, '\x20'),
	(1148864023, 'locations', 0, 31, 1, '\x21'),
	(1148868057, 'locations', 0, 31, 1, '\x04'),
	(1148868103, 'locations', 0, 31, 1, '\x13'),
	(1148868107, 'locations', 0, 31, 2, '\x0300'),
	(1148878311, 'locations', 0, 31, 1, '\x1b'),
	(1148884443, 'locations', 0, 31, 1, '\x1e'),
	(1148884444, 'locations', 0, 31, 1, '\x05'),
	(1149884973, 'locations', 0, 31, 1, '\x14'),
	(1149908496, 'locations', 0, 31, 3, '\x1e0000'),
	(1149908503, 'locations', 0, 31, 1, '\x12'),
	(1149909489, 'locations', 0, 31, 1, '\x10'),
	(1149912577, 'locations', 0, 31, 1, '\x0d'),
	(1149917682, 'locations', 0, 31, 1, '\x21'),
	(1149919687, 'locations', 0, 31, 1, '\x08'),
	(1149919699, 'locations', 0, 31, 1, '\x09'),
	(1149919720, 'locations', 0, 31, 1, '\x0a'),
	(1149919723, 'locations', 0, 31, 1, '\x06'),
	(1149919726, 'locations', 0, 31, 1, '\x28'),
	(1149919739, 'locations', 0, 31, 1, '\x1e'),
	(1149923808, 'locations', 0, 31, 1, '\x0a'),
	(1149923818, 'locations', 0, 31, 1, '\x14'),
	(1149924804, 'locations', 0, 31, 1, '\x16'),
	(1149924827, 'locations', 0, 31, 1, '\x17'),
	(1149924844, 'locations', 0, 31, 1, '\x0b'),
	(1149925870, 'locations', 0, 31, 1, '\x12'),
	(1150948903, 'locations', 0, 31, 1, '\x1c'),
	(1151969855, 'locations', 0, 31, 1, '\x15'),
	(1151991342, 'locations', 0, 31, 1, '\x1e'),
	(1151995426, 'locations', 0, 31, 1, '\x14'),
	(1151998490, 'locations', 0, 31, 1, '\x1b'),
	(1152005645, 'locations', 0, 31, 1, '\x0c');
INSERT INTO public.sets VALUES
	(1152008686, 'locations', 0, 31, 1, '\x0c'),
	(1152015847, 'locations', 0, 31, 1, '\x1c'),
	(1152731573, 'locations', 0, 31, 1, '\x27'),
	(1153033776, 'locations', 0, 31, 1, '\x0d'),
	(1153033783, 'locations', 0, 31, 2, '\x0407'),
	(1153034805, 'locations', 0, 31, 1, '\x11'),
	(1153037872, 'locations', 0, 31, 1, '\x21'),
	(1153041938, 'locations', 0, 31, 1, '\x11'),
	(1153041951, 'locations', 0, 31, 4, '\x0700001e'),
	(1153045009, 'locations', 0, 31, 1, '\x28'),
	(1153046001, 'locations', 0, 31, 1, '\x1b'),
	(1153048043, 'locations', 0, 31, 2, '\x1900'),
	(1153048077, 'locations', 0, 31, 2, '\x0e00'),
	(1153052158, 'locations', 0, 31, 1, '\x22'),
	(1153054207, 'locations', 0, 31, 1, '\x06'),
	(1153940860, 'locations', 0, 31, 1, '\x27'),
	(1154054737, 'locations', 0, 31, 2, '\x0416'),
	(1154076214, 'locations', 0, 31, 1, '\x10'),
	(1154076224, 'locations', 0, 31, 1, '\x09'),
	(1154076228, 'locations', 0, 31, 1, '\x05'),
	(1154080306, 'locations', 0, 31, 1, '\x11'),
	(1154080318, 'locations', 0, 31, 1, '\x12'),
	(1154090522, 'locations', 0, 31, 1, '\x08'),
	(1154090524, 'locations', 0, 31, 1, '\x02'),
	(1154094608, 'locations', 0, 31, 1, '\x04'),
	(1154096644, 'locations', 0, 31, 1, '\x13'),
	(1155084932, 'locations', 0, 31, 1, '\x08'),
	(1155084964, 'locations', 0, 31, 1, '\x17'),
	(1155084984, 'locations', 0, 31, 1, '\x1e'),
	(1155097178, 'locations', 0, 31, 2, '\x0905'),
	(1155118655, 'locations', 0, 31, 1, '\x1d'),
	(1155118660, 'locations', 0, 31, 1, '\x14'),
	(1155119693, 'locations', 0, 31, 1, '\x0b'),
	(1155120698, 'locations', 0, 31, 1, '\x16'),
	(1155120701, 'locations', 0, 31, 1, '\x13'),
	(1155120702, 'locations', 0, 31, 1, '\x17'),
	(1155121682, 'locations', 0, 31, 1, '\x08'),
	(1155121723, 'locations', 0, 31, 1, '\x06'),
	(1155121729, 'locations', 0, 31, 2, '\x0e00'),
	(1155121733, 'locations', 0, 31, 1, '\x04'),
	(1155122715, 'locations', 0, 31, 1, '\x11'),
	(1155122755, 'locations', 0, 31, 1, '\x04'),
	(1155122758, 'locations', 0, 31, 1, '\x15'),
	(1155124778, 'locations', 0, 31, 1, '\x06'),
	(1155124797, 'locations', 0, 31, 1, '\x28'),
	(1155126826, 'locations', 0, 31, 1, '\x0d'),
	(1155130904, 'locations', 0, 31, 1, '\x05'),
	(1155132964, 'locations', 0, 31, 1, '\x0a'),
	(1155132968, 'locations', 0, 31, 1, '\x03'),
	(1155138055, 'locations', 0, 31, 1, '\x1e'),
	(1155138059, 'locations', 0, 31, 1, '\x0a'),
	(1155138065, 'locations', 0, 31, 2, '\x1d00'),
	(1155143156, 'locations', 0, 31, 1, '\x14'),
	(1156127402, 'locations', 0, 31, 1, '\x12'),
	(1156127415, 'locations', 0, 31, 3, '\x180000'),
	(1156139619, 'locations', 0, 31, 5, '\x1701000100'),
	(1156162122, 'locations', 0, 31, 1, '\x14'),
	(1156163145, 'locations', 0, 31, 1, '\x1b'),
	(1156164181, 'locations', 0, 31, 1, '\x22'),
	(1156171327, 'locations', 0, 31, 1, '\x1c'),
	(1156172324, 'locations', 0, 31, 1, '\x0c'),
	(1156172336, 'locations', 0, 31, 1, '\x1b'),
	(1156172342, 'locations', 0, 31, 1, '\x22'),
	(1156174333, 'locations', 0, 31, 1, '\x1e'),
	(1156174345, 'locations', 0, 31, 1, '\x0f'),
	(1156174369, 'locations', 0, 31, 3, '\x080500'),
	(1156174385, 'locations', 0, 31, 1, '\x1d'),
	(1156178454, 'locations', 0, 31, 1, '\x08'),
	(1156178460, 'locations', 0, 31, 1, '\x15'),
	(1156178464, 'locations', 0, 31, 1, '\x1d'),
	(1156179438, 'locations', 0, 31, 1, '\x0a'),
	(1156179450, 'locations', 0, 31, 1, '\x0d'),
	(1156180496, 'locations', 0, 31, 1, '\x02'),
	(1156181530, 'locations', 0, 31, 1, '\x11'),
	(1156183534, 'locations', 0, 31, 1, '\x0c'),
	(1156183562, 'locations', 0, 31, 1, '\x03'),
	(1157203547, 'locations', 0, 31, 2, '\x100b'),
	(1157203551, 'locations', 0, 31, 1, '\x16'),
	(1157203554, 'locations', 0, 31, 3, '\x180000'),
	(1157217839, 'locations', 0, 31, 2, '\x0c15'),
	(1159254698, 'locations', 0, 31, 1, '\x1e'),
	(1159288426, 'locations', 0, 31, 1, '\x0c'),
	(1159288427, 'locations', 0, 31, 1, '\x11'),
	(1159288429, 'locations', 0, 31, 2, '\x1600'),
	(1159288434, 'locations', 0, 31, 1, '\x19'),
	(1159288441, 'locations', 0, 31, 1, '\x1a'),
	(1159291479, 'locations', 0, 31, 1, '\x04'),
	(1159292497, 'locations', 0, 31, 1, '\x03'),
	(1159292512, 'locations', 0, 31, 1, '\x02'),
	(1159292518, 'locations', 0, 31, 1, '\x0a'),
	(1159294546, 'locations', 0, 31, 1, '\x0a'),
	(1159295583, 'locations', 0, 31, 1, '\x05'),
	(1159296584, 'locations', 0, 31, 1, '\x0d'),
	(1159296586, 'locations', 0, 31, 3, '\x1e0000'),
	(1159296587, 'locations', 0, 31, 1, '\x10'),
	(1159296602, 'locations', 0, 31, 1, '\x16'),
	(1159298605, 'locations', 0, 31, 1, '\x15'),
	(1159299647, 'locations', 0, 31, 1, '\x04'),
	(1159299655, 'locations', 0, 31, 3, '\x070000'),
	(1159300668, 'locations', 0, 31, 1, '\x09');
INSERT INTO public.sets VALUES
	(1159301693, 'locations', 0, 31, 1, '\x11'),
	(1159302711, 'locations', 0, 31, 1, '\x14'),
	(1159302723, 'locations', 0, 31, 1, '\x1d'),
	(1159307822, 'locations', 0, 31, 1, '\x1e'),
	(1159308815, 'locations', 0, 31, 1, '\x06'),
	(1159309861, 'locations', 0, 31, 1, '\x21'),
	(1159316001, 'locations', 0, 31, 1, '\x21'),
	(1160297164, 'locations', 0, 31, 1, '\x0a'),
	(1160309383, 'locations', 0, 31, 4, '\x05040208'),
	(1160330870, 'locations', 0, 31, 1, '\x17'),
	(1160330871, 'locations', 0, 31, 3, '\x180000'),
	(1160332913, 'locations', 0, 31, 1, '\x17'),
	(1160334958, 'locations', 0, 31, 1, '\x21'),
	(1160338004, 'locations', 0, 31, 1, '\x21'),
	(1160339036, 'locations', 0, 31, 1, '\x19'),
	(1160341067, 'locations', 0, 31, 1, '\x22'),
	(1160346172, 'locations', 0, 31, 1, '\x10'),
	(1160350256, 'locations', 0, 31, 1, '\x0b'),
	(1160350260, 'locations', 0, 31, 1, '\x04'),
	(1160350270, 'locations', 0, 31, 1, '\x1b'),
	(1160350273, 'locations', 0, 31, 1, '\x11'),
	(1160353323, 'locations', 0, 31, 1, '\x1b'),
	(1161373311, 'locations', 0, 31, 1, '\x0b'),
	(1161377399, 'locations', 0, 31, 2, '\x0419'),
	(1161380449, 'locations', 0, 31, 1, '\x04'),
	(1161380465, 'locations', 0, 31, 1, '\x1e'),
	(1161381479, 'locations', 0, 31, 1, '\x0a'),
	(1161387571, 'locations', 0, 31, 1, '\x1d'),
	(1161387594, 'locations', 0, 31, 1, '\x1b'),
	(1161387602, 'locations', 0, 31, 1, '\x1c'),
	(1161387605, 'locations', 0, 31, 2, '\x1e09'),
	(1161387609, 'locations', 0, 31, 1, '\x1d'),
	(1161390655, 'locations', 0, 31, 1, '\x11'),
	(1162394265, 'locations', 0, 31, 1, '\x06'),
	(1162419836, 'locations', 0, 31, 1, '\x0a'),
	(1162426984, 'locations', 0, 31, 3, '\x180000'),
	(1162429014, 'locations', 0, 31, 1, '\x13'),
	(1162433063, 'locations', 0, 31, 1, '\x1e'),
	(1162433104, 'locations', 0, 31, 3, '\x1e0000'),
	(1162433109, 'locations', 0, 31, 1, '\x11'),
	(1162433116, 'locations', 0, 31, 1, '\x06'),
	(1162434096, 'locations', 0, 31, 1, '\x05'),
	(1162434136, 'locations', 0, 31, 1, '\x11'),
	(1163462281, 'locations', 0, 31, 1, '\x21'),
	(1164466952, 'locations', 0, 31, 1, '\x15'),
	(1164479147, 'locations', 0, 31, 1, '\x0c'),
	(1164504708, 'locations', 0, 31, 1, '\x1b'),
	(1164504716, 'locations', 0, 31, 1, '\x28'),
	(1164507772, 'locations', 0, 31, 1, '\x03'),
	(1164508802, 'locations', 0, 31, 1, '\x1e'),
	(1165551232, 'locations', 0, 31, 1, '\x12'),
	(1166599776, 'locations', 0, 31, 1, '\x1c'),
	(1166599810, 'locations', 0, 31, 1, '\x08'),
	(1166599814, 'locations', 0, 31, 1, '\x15'),
	(1167606470, 'locations', 0, 31, 1, '\x22'),
	(1167636123, 'locations', 0, 31, 1, '\x1a'),
	(1167648381, 'locations', 0, 31, 3, '\x1e0000'),
	(1169717939, 'locations', 0, 31, 1, '\x21'),
	(1169731211, 'locations', 0, 31, 1, '\x21'),
	(1169740398, 'locations', 0, 31, 1, '\x21'),
	(1408446112, 'locations', 0, 31, 1, '\x22'),
	(1491495956, 'locations', 0, 31, 1, '\x27'),
	(1613732945, 'locations', 0, 31, 1, '\x24'),
	(1643483861, 'locations', 0, 31, 1, '\x24'),
	(1643486907, 'locations', 0, 31, 1, '\x24'),
	(1645509997, 'locations', 0, 31, 1, '\x24'),
	(1653733096, 'locations', 0, 31, 1, '\x27'),
	(1653880650, 'locations', 0, 31, 1, '\x24'),
	(1671600164, 'locations', 0, 31, 1, '\x24'),
	(1673712581, 'locations', 0, 31, 1, '\x24'),
	(1674741759, 'locations', 0, 31, 1, '\x24'),
	(1676822549, 'locations', 0, 31, 1, '\x24'),
	(1855676402, 'locations', 0, 31, 1, '\x26'),
	(1901205998, 'locations', 0, 31, 1, '\x28'),
	(2018828206, 'locations', 0, 31, 1, '\x28'),
	(-1, 'users', 0, 38, 236, '\xc401cd012411800180015414163f221d3946590f16003f18278101334c800143251680013f132c4025192d470a800137482a5537153239261f80013a1d273b22216c13244d4a42245b3722253225271f6024253580012c133f231c3f80011d2e331f1d42320c401537321547228001156a1e6121134a19184d11681e1b4a80012213490e452b8001111d5006374180019801261678192b15e2011d5c8d01136c266409588f0113a30147135a3731169601165e2118211c1d293522f3020d7502631d224c136415e401185d6119e5011de2012c136c262a287f71372a19860184011d7215191137254a30601356692b22a8012c1b9c01433bca02243d0f2553681c251b4925650a589c0109'),
	(0, 'users', 0, 31, 119, '\x0101000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'),
	(52, 'users', 0, 31, 24, '\x0803050100080209010002030a03040d0203000205040403'),
	(66, 'users', 0, 31, 112, '\x01010000000000000000000000000000000000000000000001010000000000010000000000000000000000000000000000000000000000000000000000000000010000000000000000000100000000010000000000000000000000000000000000000000000000010000000000000000'),
	(67, 'users', 0, 31, 106, '\x01010000000000010000000000000001000000000000000100000000000000000000000000000100000000000000000100000000000100000000000000000100000001000000000001000000000000000000000000000000000100000000000002000000000100000000'),
	(69, 'users', 0, 31, 103, '\x01010000000000000200000000000000000000000000010001000000000000000000000000000000000001000001000001000100000000000000000000000001000000000000000100000000000000000000010101000200000000010000000000000000000000'),
	(70, 'users', 0, 31, 83, '\x0400000100000100010000010000000000030000010100000000020000000100000000000000020000000001000000000000000004000100000000030101020000010002000000000000000101010000010000'),
	(71, 'users', 0, 31, 90, '\x030200000000010101000001000000010001000000000000010001000000000100000000000100010002010100000000000001000000000000020000000001000001010000000000000000000000000001010200000000000000'),
	(465, 'users', 0, 31, 1, '\x01');


--
-- Data for Name: user_activity; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_activity VALUES
	(49, 1460039721, 458),
	(114, 1510728443, 459),
	(92, 1520204949, 454),
	(68, 1569470168, 460),
	(23, 1603560841, 455),
	(24, 1706868720, 456),
	(96, 1712146948, 457),
	(14, 1735142345, 463),
	(13, 1735924359, 461),
	(19, 1736705676, 462);


--
-- Data for Name: user_addresses; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: user_dependencies; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_dependencies VALUES
	(24, '{244,246,248,297,302,304,316,328,330,333,352,377,425}'),
	(92, '{244,246,275,377,386}'),
	(13, '{241,249,367,401}'),
	(19, '{244,246,262,268,278,286,299,310,322,326,338,349,365,373,380,385,386,417,422}'),
	(9, '{244,266,299,310,365,373,449}'),
	(74, '{244,299}'),
	(68, '{244,246,259,264,266,275,299,307,340,373,377,386,422,434}'),
	(16, '{244,250,251,312,342,424,428,453}'),
	(41, '{242,252,256,257,261,270,273,277,279,292,294,305,306,314,331,335,339,346,351,363,378,391,427,439}'),
	(114, '{243,244,245,255,260,263,271,280,281,310,317,332,348,352,353,357,365,383,388,436,440,446}'),
	(49, '{242,252,257,270,273,279,292,294,303,306,314,325,331,335,339,350,351,363,378,391,393,412,427,451}'),
	(14, '{248,297}'),
	(96, '{244,266,299,310,365,373,449}');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES
	(3, 577149330, 'ZSOFIA-QUISPE', false, '{18,55,67,69,66,71,65,73}', 1, '{"forge_rest_id":577149330,"forge_graphql_id":"U_kgDOImaZkg","login":"zsofia-quispe","name":"Zsófia Quispe","email":null,"avatar_url":"https://avatars.forge.example/u/577149330?v=4","company":null,"location":"Mexico City","bio":"オープンソースが好きです。","followers":25069,"following":104,"type":"User","created_at":"2012-02-11T22:00:40Z","updated_at":"2024-07-29T13:01:31Z"}', DEFAULT),
	(4, 341327773, 'HAKONGARCIA', false, '{67,69,70,66,65,74}', 1, '{"forge_rest_id":341327773,"forge_graphql_id":"U_kgDOFFg_nQ","login":"HakonGarcia","name":"Håkon Garcia","email":"hakongarcia@example.com","avatar_url":"https://avatars.forge.example/u/341327773?v=4","company":null,"location":null,"bio":"Developer.","followers":7394,"following":81,"type":"User","created_at":"2010-06-14T11:24:04Z","updated_at":"2022-10-16T10:29:30Z"}', DEFAULT),
	(5, 40646108, 'JOAOSILVA', false, '{67,69,70,66,65,75}', 1, '{"forge_rest_id":40646108,"forge_graphql_id":"U_kgDOAmw13A","login":"joaosilva","name":"João Silva","email":"joaosilva@mail.example","avatar_url":"https://avatars.forge.example/u/40646108?v=4","company":null,"location":null,"bio":"Backend engineer. Databases, queues and other slow things made fast.","followers":2178,"following":5,"type":"User","created_at":"2008-04-25T13:27:35Z","updated_at":"2024-05-30T00:42:51Z"}', DEFAULT),
	(6, 869890489, 'TARIQHADDAD', false, '{32,53,67,69,70,66,71,65,76}', 1, '{"forge_rest_id":869890489,"forge_graphql_id":"U_kgDOM9l5uQ","login":"tariqhaddad","name":"Tariq Haddad","email":"tariqhaddad+forge@example.com","avatar_url":"https://avatars.forge.example/u/869890489?v=4","company":null,"location":"Zürich, CH","bio":"Développeur web, cycliste le week-end","followers":13490,"following":13,"type":"User","created_at":"2014-03-12T16:08:20Z","updated_at":"2023-04-30T23:56:43Z"}', DEFAULT),
	(7, 530936716, 'SILVA-DEV', false, '{12,47,67,69,66,71,77}', 1, '{"forge_rest_id":530936716,"forge_graphql_id":"U_kgDOH6VzjA","login":"silva-dev","name":"Beatriz Silva","email":null,"avatar_url":"https://avatars.forge.example/u/530936716?v=4","company":null,"location":"Kraków, Poland","bio":null,"followers":37,"following":34,"type":"User","created_at":"2011-10-16T10:38:57Z","updated_at":"2025-05-25T01:11:58Z"}', DEFAULT),
	(8, 144033079, 'NALEDINAKAMURA', false, '{7,52,67,69,70,66,71,65,78}', 1, '{"forge_rest_id":144033079,"forge_graphql_id":"U_kgDOCJXFNw","login":"naledinakamura","name":"Naledi Nakamura","email":"naledinakamura@example.net","avatar_url":"https://avatars.forge.example/u/144033079?v=4","company":null,"location":"Berlin","bio":"Developer.","followers":998,"following":12,"type":"User","created_at":"2009-01-19T14:55:22Z","updated_at":"2023-10-26T14:29:00Z"}', DEFAULT),
	(9, 1967928690, 'YARROW-COLLECTIVE', false, '{40,56,79,69,70,66,71,65,80}', 1, '{"forge_rest_id":1967928690,"forge_graphql_id":"O_kgDOdUw1cg","login":"yarrow-collective","name":"Yarrow Collective","email":"hello@yarrow-collective.example","avatar_url":"https://avatars.forge.example/u/1967928690?v=4","company":null,"location":"🇳🇿 Wellington","bio":"SRE on call. If I answer slowly, production is well.","followers":19680,"following":0,"type":"Organization","created_at":"2021-12-22T22:31:48Z","updated_at":"2024-03-21T11:18:08Z"}', DEFAULT),
	(10, 656865068, 'GABRIELANOVAK', false, '{16,41,67,70,66,71,81}', 1, '{"forge_rest_id":656865068,"forge_graphql_id":"U_kgDOJyb3LA","login":"GabrielaNovak","name":null,"email":"gabrielanovak@mail.example","avatar_url":"https://avatars.forge.example/u/656865068?v=4","company":null,"location":"Madrid, España","bio":null,"followers":1000,"following":14,"type":"User","created_at":"2012-09-05T19:25:05Z","updated_at":"2022-12-07T23:20:39Z"}', DEFAULT),
	(11, 1879653916, 'GOLDBERG-DEV', false, '{67,66,82,83}', 1, '{"forge_rest_id":1879653916,"forge_graphql_id":"U_kgDOcAk-HA","login":"goldberg-dev","name":null,"email":null,"avatar_url":"https://avatars.forge.example/u/1879653916?v=4","company":"Example Inc.","location":null,"bio":null,"followers":12805,"following":46,"type":"User","created_at":"2021-05-05T11:43:48Z","updated_at":"2025-02-24T23:18:11Z"}', DEFAULT),
	(12, 1209133284, 'LIAMKHUMALO', false, '{7,52,67,69,70,66,71,65,84}', 1, '{"forge_rest_id":1209133284,"forge_graphql_id":"U_kgDOSBHo5A","login":"LiamKhumalo","name":"Liam Khumalo","email":"liamkhumalo@example.com","avatar_url":"https://avatars.forge.example/u/1209133284?v=4","company":null,"location":"Berlin","bio":"Backend engineer. Databases, queues and other slow things made fast.","followers":20,"following":163,"type":"User","created_at":"2016-08-07T16:52:15Z","updated_at":"2023-05-06T06:10:21Z"}', DEFAULT),
	(13, 1408064305, 'RAVI5', false, '{67,69,70,66,82,65,85}', 1, '{"forge_rest_id":1408064305,"forge_graphql_id":"U_kgDOU-1bMQ","login":"ravi5","name":"Ravi Goldberg","email":"ravi5+forge@example.com","avatar_url":"https://avatars.forge.example/u/1408064305?v=4","company":"@northwind-lab","location":null,"bio":"Learning in public 🌱","followers":11663,"following":36,"type":"User","created_at":"2018-01-02T03:21:09Z","updated_at":"2023-04-23T03:50:54Z"}', DEFAULT),
	(14, 713563259, 'SANNACASTILLO', false, '{25,63,67,69,66,71,65,86}', 1, '{"forge_rest_id":713563259,"forge_graphql_id":"U_kgDOKogcew","login":"SannaCastillo","name":"Sanna Castillo","email":null,"avatar_url":"https://avatars.forge.example/u/713563259?v=4","company":null,"location":"São Paulo, Brasil","bio":"Maintainer of small libraries. Opinions are cached.","followers":39,"following":180,"type":"User","created_at":"2013-02-01T11:21:33Z","updated_at":"2022-10-31T12:07:48Z"}', DEFAULT),
	(15, 1130690363, 'RAVI-SCHAFER', false, '{67,69,70,66,82,87}', 1, '{"forge_rest_id":1130690363,"forge_graphql_id":"U_kgDOQ2T3Ow","login":"ravi-schafer","name":"Ravi Schäfer","email":"ravi-schafer@example.org","avatar_url":"https://avatars.forge.example/u/1130690363?v=4","company":"self-employed","location":null,"bio":null,"followers":170,"following":73,"type":"User","created_at":"2016-01-14T21:56:11Z","updated_at":"2025-06-07T17:32:13Z"}', DEFAULT),
	(16, 2075975458, 'LINH-CODES', false, '{23,43,67,69,70,66,82,71,88}', 1, '{"forge_rest_id":2075975458,"forge_graphql_id":"U_kgDOe7zfIg","login":"linh-codes","name":"Linh Andersson","email":"linh-codes@example.com","avatar_url":"https://avatars.forge.example/u/2075975458?v=4","company":"self-employed","location":"San Francisco, CA","bio":null,"followers":159,"following":21,"type":"User","created_at":"2022-09-28T14:13:26Z","updated_at":"2025-03-21T18:29:51Z"}', DEFAULT),
	(17, 1610449919, 'OMAR30', false, '{25,63,67,69,70,66,82,71,89}', 1, '{"forge_rest_id":1610449919,"forge_graphql_id":"U_kgDOX_2D_w","login":"omar30","name":"Omar Castillo","email":"omar30@example.net","avatar_url":"https://avatars.forge.example/u/1610449919?v=4","company":"株式会社サンプル","location":"São Paulo, Brasil","bio":null,"followers":140,"following":133,"type":"User","created_at":"2019-06-11T23:04:02Z","updated_at":"2023-08-11T09:55:54Z"}', DEFAULT),
	(18, 1981735753, 'UMBRA-COLLECTIVE', false, '{7,52,79,69,66,71,90}', 1, '{"forge_rest_id":1981735753,"forge_graphql_id":"O_kgDOdh7jSQ","login":"umbra-collective","name":"Umbra Collective","email":null,"avatar_url":"https://avatars.forge.example/u/1981735753?v=4","company":null,"location":"berlin","bio":null,"followers":60856,"following":0,"type":"Organization","created_at":"2022-01-25T07:56:30Z","updated_at":"2023-06-08T17:56:58Z"}', DEFAULT),
	(19, 529860317, 'SIMA-LEVI', false, '{67,69,70,66,82,65,91}', 1, '{"forge_rest_id":529860317,"forge_graphql_id":"U_kgDOH5UG3Q","login":"sima-levi","name":"סימה לוי","email":"sima-levi+forge@example.com","avatar_url":"https://avatars.forge.example/u/529860317?v=4","company":"Beispiel AG","location":null,"bio":"Développeur web, cycliste le week-end","followers":1802,"following":36,"type":"User","created_at":"2011-10-13T02:04:59Z","updated_at":"2022-11-26T20:55:20Z"}', DEFAULT),
	(20, 765289070, 'PAULA74', false, '{19,52,67,69,70,66,82,71,92}', 1, '{"forge_rest_id":765289070,"forge_graphql_id":"U_kgDOLZ1ibg","login":"paula74","name":"Paula Mensah","email":"paula74@example.net","avatar_url":"https://avatars.forge.example/u/765289070?v=4","company":"@lowtide-collective","location":"München","bio":null,"followers":13,"following":43,"type":"User","created_at":"2013-06-15T17:25:35Z","updated_at":"2023-02-22T13:33:01Z"}', DEFAULT),
	(21, 1217933881, 'FATIMATREMBLAY', false, '{7,52,67,69,70,66,71,93}', 1, '{"forge_rest_id":1217933881,"forge_graphql_id":"U_kgDOSJgyOQ","login":"fatimatremblay","name":"Fatima Tremblay","email":"fatimatremblay@example.org","avatar_url":"https://avatars.forge.example/u/1217933881?v=4","company":null,"location":"berlin","bio":null,"followers":2,"following":45,"type":"User","created_at":"2016-08-29T07:48:27Z","updated_at":"2024-08-03T22:51:50Z"}', DEFAULT),
	(22, 474600075, 'IPHAM', false, '{21,43,67,69,70,66,82,71,65,94}', 1, '{"forge_rest_id":474600075,"forge_graphql_id":"U_kgDOHEnSiw","login":"ipham","name":"Ivana Pham","email":"me@ipham.example","avatar_url":"https://avatars.forge.example/u/474600075?v=4","company":"University of Example","location":"New York, NY","bio":"he/him · open to work","followers":10731,"following":217,"type":"User","created_at":"2011-05-22T23:38:22Z","updated_at":"2023-04-23T10:45:55Z"}', DEFAULT),
	(23, 1385382641, 'LIAMWEBER', false, '{24,63,67,69,70,66,82,71,65,95}', 1, '{"forge_rest_id":1385382641,"forge_graphql_id":"U_kgDOUpNC8Q","login":"LiamWeber","name":"Liam Weber","email":"liamweber@example.net","avatar_url":"https://avatars.forge.example/u/1385382641?v=4","company":"@halcyon-works","location":"São Paulo","bio":"Developer.","followers":1365,"following":17,"type":"User","created_at":"2017-11-03T17:44:20Z","updated_at":"2025-05-19T22:23:05Z"}', DEFAULT),
	(24, 1819379775, 'RHADDAD', false, '{67,69,70,66,82,65,96}', 1, '{"forge_rest_id":1819379775,"forge_graphql_id":"U_kgDObHGIPw","login":"rhaddad","name":"Ravi Haddad","email":"rhaddad@example.net","avatar_url":"https://avatars.forge.example/u/1819379775?v=4","company":"@northwind-lab","location":null,"bio":"Developer.","followers":850,"following":14,"type":"User","created_at":"2020-12-02T19:16:38Z","updated_at":"2025-03-06T14:54:31Z"}', DEFAULT),
	(25, 2239233337, 'FATIMA-CODES', false, '{27,57,67,69,66,82,71,65,97}', 1, '{"forge_rest_id":2239233337,"forge_graphql_id":"U_kgDOhXf9OQ","login":"fatima-codes","name":"Fatima Bakker","email":null,"avatar_url":"https://avatars.forge.example/u/2239233337?v=4","company":"Freelance","location":"Stockholm, Sweden","bio":"Développeur web, cycliste le week-end","followers":30,"following":271,"type":"User","created_at":"2023-11-22T02:38:04Z","updated_at":"2025-04-24T16:41:51Z"}', DEFAULT),
	(26, 1452808695, 'ANDRE-CODES', false, '{29,64,67,82,71,98}', 1, '{"forge_rest_id":1452808695,"forge_graphql_id":"U_kgDOVpgZ9w","login":"andre-codes","name":null,"email":null,"avatar_url":null,"company":"株式会社サンプル","location":"Toronto, Canada","bio":null,"followers":35,"following":8,"type":"User","created_at":"2018-04-26T21:06:04Z","updated_at":"2023-10-25T18:43:43Z"}', DEFAULT),
	(27, 1159242254, 'COBALTWORKS-COLLECTIVE', false, '{79,69,66,65,99}', 1, '{"forge_rest_id":1159242254,"forge_graphql_id":"O_kgDORRiiDg","login":"cobaltworks-collective","name":"Cobaltworks Collective","email":null,"avatar_url":"https://avatars.forge.example/u/1159242254?v=4","company":null,"location":null,"bio":"Front-end, accessibility, type systems.","followers":88,"following":0,"type":"Organization","created_at":"2016-03-28T08:10:24Z","updated_at":"2023-08-19T14:36:58Z"}', DEFAULT),
	(28, 437013132, 'SOFIA12', false, '{8,67,69,70,82,71,65,86}', 1, '{"forge_rest_id":437013132,"forge_graphql_id":"U_kgDOGgxKjA","login":"sofia12","name":"Sofia Horváth","email":"sofia12@example.org","avatar_url":null,"company":"株式会社サンプル","location":"Berlin & beyond + more","bio":"Backend engineer. Databases, queues and other slow things made fast.","followers":39,"following":111,"type":"User","created_at":"2011-02-15T17:25:32Z","updated_at":"2025-06-21T19:11:15Z"}', DEFAULT),
	(29, 1550944045, 'RAFAEL-NGUYEN', false, '{33,67,70,66,82,71,65,100}', 1, '{"forge_rest_id":1550944045,"forge_graphql_id":"U_kgDOXHGHLQ","login":"rafael-nguyen","name":null,"email":"rafael-nguyen@mail.example","avatar_url":"https://avatars.forge.example/u/1550944045?v=4","company":"Beispiel AG","location":"\\\\fileserver\\share","bio":"Writes <html> by hand & likes it","followers":31,"following":292,"type":"User","created_at":"2019-01-09T07:52:15Z","updated_at":"2025-01-30T03:26:10Z"}', DEFAULT),
	(30, 2149696175, 'ROSA97', false, '{9,52,67,69,70,66,71,101}', 1, '{"forge_rest_id":2149696175,"forge_graphql_id":"U_kgDOgCHCrw","login":"rosa97","name":"Rosa Sato","email":"rosa97@example.org","avatar_url":"https://avatars.forge.example/u/2149696175?v=4","company":null,"location":"Berlin, Germany","bio":null,"followers":29,"following":333,"type":"User","created_at":"2023-04-06T21:15:14Z","updated_at":"2023-07-27T05:54:43Z"}', DEFAULT),
	(31, 1480047027, 'CARLOS-BECKER', false, '{29,64,67,69,66,82,71,102}', 1, '{"forge_rest_id":1480047027,"forge_graphql_id":"U_kgDOWDe5sw","login":"carlos-becker","name":"Carlos Becker","email":null,"avatar_url":"https://avatars.forge.example/u/1480047027?v=4","company":"株式会社サンプル","location":"Toronto, Canada","bio":null,"followers":185,"following":889,"type":"User","created_at":"2018-07-05T15:42:02Z","updated_at":"2024-08-17T22:58:13Z"}', DEFAULT),
	(32, 287268707, 'LINDGREN-DEV', false, '{25,63,67,69,70,66,71,65,103}', 1, '{"forge_rest_id":287268707,"forge_graphql_id":"U_kgDOER9fYw","login":"lindgren-dev","name":"Ravi Lindgren","email":"lindgren-dev+forge@example.com","avatar_url":"https://avatars.forge.example/u/287268707?v=4","company":null,"location":"São Paulo, Brasil","bio":"Writes <html> by hand & likes it","followers":1445,"following":9,"type":"User","created_at":"2010-01-23T07:40:55Z","updated_at":"2025-04-09T18:16:17Z"}', DEFAULT),
	(33, 186045305, 'ZOE-CODES', false, '{7,52,67,69,66,82,71,65,104}', 1, '{"forge_rest_id":186045305,"forge_graphql_id":"U_kgDOCxbTeQ","login":"zoe-codes","name":"Zoë Zhang","email":null,"avatar_url":"https://avatars.forge.example/u/186045305?v=4","company":"株式会社サンプル","location":"Berlin","bio":"I break builds so that you need not.","followers":6,"following":32,"type":"User","created_at":"2009-05-06T17:36:24Z","updated_at":"2023-08-15T18:18:21Z"}', DEFAULT),
	(34, 1027697997, 'DIEGO-MARCHETTI', false, '{13,51,67,69,70,66,82,71,105}', 1, '{"forge_rest_id":1027697997,"forge_graphql_id":"U_kgDOPUFtTQ","login":"diego-marchetti","name":"Diego Marchetti","email":"diego-marchetti@mail.example","avatar_url":"https://avatars.forge.example/u/1027697997?v=4","company":"Exemple & Fils, S.A.","location":"Lagos, Nigeria","bio":null,"followers":8,"following":586,"type":"User","created_at":"2015-04-24T19:45:39Z","updated_at":"2023-04-13T21:48:50Z"}', DEFAULT),
	(35, 1276219157, 'VMENSAH', false, '{67,69,70,106}', 1, '{"forge_rest_id":1276219157,"forge_graphql_id":"U_kgDOTBGPFQ","login":"vmensah","name":"Valentina Mensah","email":"vmensah@mail.example","avatar_url":null,"company":null,"location":null,"bio":null,"followers":23,"following":15,"type":"User","created_at":"2017-01-27T10:01:18Z","updated_at":"2025-02-28T23:48:30Z"}', DEFAULT),
	(36, 843206103, 'ADALINDGREN', false, '{23,43,67,69,70,66,82,71,65,107}', 1, '{"forge_rest_id":843206103,"forge_graphql_id":"U_kgDOMkJN1w","login":"adalindgren","name":"Ada Lindgren","email":"adalindgren+forge@example.com","avatar_url":"https://avatars.forge.example/u/843206103?v=4","company":"Freelance","location":"San Francisco, CA","bio":"Developer.","followers":1763,"following":87,"type":"User","created_at":"2014-01-03T05:32:36Z","updated_at":"2023-09-27T07:39:33Z"}', DEFAULT),
	(37, 773482577, 'JAKUB-BAKKER', false, '{15,44,67,69,70,66,71,65,108}', 1, '{"forge_rest_id":773482577,"forge_graphql_id":"U_kgDOLhpoUQ","login":"jakub-bakker","name":"Jakub Bakker","email":"jakub-bakker@example.org","avatar_url":"https://avatars.forge.example/u/773482577?v=4","company":null,"location":"London, UK","bio":"Writes <html> by hand & likes it","followers":3109,"following":31,"type":"User","created_at":"2013-07-08T05:48:38Z","updated_at":"2025-02-16T09:17:08Z"}', DEFAULT),
	(38, 897194758, 'SANNASATO', false, '{67,69,70,66,82,65,109}', 1, '{"forge_rest_id":897194758,"forge_graphql_id":"U_kgDONXobBg","login":"SannaSato","name":"Sanna Sato","email":"me@sannasato.example","avatar_url":"https://avatars.forge.example/u/897194758?v=4","company":"@quietriver-lab","location":null,"bio":"Développeur web, cycliste le week-end","followers":21561,"following":15,"type":"User","created_at":"2014-05-23T01:13:55Z","updated_at":"2025-03-17T18:04:01Z"}', DEFAULT),
	(39, 1142075362, 'LAYLA-H', false, '{11,58,67,69,66,82,71,110}', 1, '{"forge_rest_id":1142075362,"forge_graphql_id":"U_kgDORBKv4g","login":"layla-h","name":"ليلى حداد","email":null,"avatar_url":"https://avatars.forge.example/u/1142075362?v=4","company":"Freelance","location":"İstanbul","bio":null,"followers":732,"following":724,"type":"User","created_at":"2016-02-15T11:25:45Z","updated_at":"2024-04-23T23:16:36Z"}', DEFAULT),
	(40, 2134663435, 'LINHWEBER', false, '{14,44,67,69,66,82,71,65,111}', 1, '{"forge_rest_id":2134663435,"forge_graphql_id":"U_kgDOfzxhCw","login":"linhweber","name":"Linh Weber","email":null,"avatar_url":"https://avatars.forge.example/u/2134663435?v=4","company":"Example GmbH","location":"London","bio":"Maintainer of small libraries. Opinions are cached.","followers":4389,"following":11,"type":"User","created_at":"2023-02-26T15:01:29Z","updated_at":"2024-07-21T11:00:01Z"}', DEFAULT),
	(41, 417830059, 'MADSPETROV', false, '{34,47,67,69,70,66,71,65,112}', 1, '{"forge_rest_id":417830059,"forge_graphql_id":"U_kgDOGOeUqw","login":"madspetrov","name":"Mads Petrov","email":"madspetrov@example.org","avatar_url":"https://avatars.forge.example/u/417830059?v=4","company":null,"location":"Łódź, Polska","bio":"\"It works on my machine\" – and now on yours","followers":22,"following":3,"type":"User","created_at":"2010-12-28T02:23:27Z","updated_at":"2023-03-07T01:56:45Z"}', DEFAULT),
	(42, 24962340, 'ZJANSEN', false, '{6,62,67,69,70,66,71,113}', 1, '{"forge_rest_id":24962340,"forge_graphql_id":"U_kgDOAXzlJA","login":"zjansen","name":"Zsófia Jansen","email":"zjansen+forge@example.com","avatar_url":"https://avatars.forge.example/u/24962340?v=4","company":null,"location":"Bengaluru, India","bio":null,"followers":33,"following":11,"type":"User","created_at":"2008-03-16T08:17:06Z","updated_at":"2023-02-21T09:00:48Z"}', DEFAULT),
	(43, 406385085, 'MARIGOLD-LAB', false, '{7,52,79,69,70,66,71,114}', 1, '{"forge_rest_id":406385085,"forge_graphql_id":"O_kgDOGDjxvQ","login":"marigold-lab","name":"Marigold Lab","email":"hello@marigold-lab.example","avatar_url":"https://avatars.forge.example/u/406385085?v=4","company":null,"location":"Berlin","bio":null,"followers":45,"following":0,"type":"Organization","created_at":"2010-12-01T05:45:47Z","updated_at":"2023-01-27T00:35:34Z"}', DEFAULT),
	(44, 995972915, 'LEA-CODES', false, '{67,69,70,66,115}', 1, '{"forge_rest_id":995972915,"forge_graphql_id":"U_kgDOO11XMw","login":"lea-codes","name":"Lea Quispe","email":"lea-codes@example.net","avatar_url":"https://avatars.forge.example/u/995972915?v=4","company":null,"location":null,"bio":null,"followers":71,"following":22,"type":"User","created_at":"2015-01-31T00:51:08Z","updated_at":"2024-03-02T19:48:29Z"}', DEFAULT),
	(45, 642839453, 'RAVIHORVATH', false, '{9,52,67,69,66,82,71,65,116}', 1, '{"forge_rest_id":642839453,"forge_graphql_id":"U_kgDOJlDznQ","login":"RaviHorvath","name":"Ravi Horváth","email":null,"avatar_url":"https://avatars.forge.example/u/642839453?v=4","company":"self-employed","location":"Berlin, Germany","bio":"he/him · open to work","followers":145,"following":33,"type":"User","created_at":"2012-08-01T05:33:21Z","updated_at":"2023-09-25T19:30:29Z"}', DEFAULT),
	(46, 985206721, 'MINJUN-KIM', false, '{19,52,67,69,70,66,82,71,117}', 1, '{"forge_rest_id":985206721,"forge_graphql_id":"U_kgDOOrkPwQ","login":"minjun-kim","name":"김민준","email":"minjun-kim+forge@example.com","avatar_url":"https://avatars.forge.example/u/985206721?v=4","company":"Example Inc.","location":"München","bio":null,"followers":57,"following":37,"type":"User","created_at":"2015-01-03T14:41:45Z","updated_at":"2023-09-22T22:16:23Z"}', DEFAULT),
	(47, 486414580, 'NADIA79', false, '{23,43,67,69,70,66,71,118}', 1, '{"forge_rest_id":486414580,"forge_graphql_id":"U_kgDOHP4Y9A","login":"nadia79","name":"Nadia Pham","email":"me@nadia79.example","avatar_url":"https://avatars.forge.example/u/486414580?v=4","company":null,"location":"San Francisco, CA","bio":null,"followers":647,"following":14,"type":"User","created_at":"2011-06-24T05:17:06Z","updated_at":"2023-02-05T16:42:52Z"}', DEFAULT),
	(48, 935932092, 'ELIF69', false, '{16,41,67,70,66,71,119}', 1, '{"forge_rest_id":935932092,"forge_graphql_id":"U_kgDON8kwvA","login":"elif69","name":null,"email":"me@elif69.example","avatar_url":"https://avatars.forge.example/u/935932092?v=4","company":null,"location":"Madrid, España","bio":null,"followers":14197,"following":72,"type":"User","created_at":"2014-08-28T11:22:33Z","updated_at":"2024-12-05T00:43:09Z"}', DEFAULT),
	(49, 47453760, 'ESRAKOVACS', false, '{9,52,67,69,70,66,71,65,114}', 1, '{"forge_rest_id":47453760,"forge_graphql_id":"U_kgDOAtQWQA","login":"EsraKovacs","name":"Esra Kovács","email":"esrakovacs@mail.example","avatar_url":"https://avatars.forge.example/u/47453760?v=4","company":null,"location":"Berlin, Germany","bio":"Learning in public 🌱","followers":45,"following":771,"type":"User","created_at":"2008-05-13T06:16:54Z","updated_at":"2025-05-30T12:33:32Z"}', DEFAULT),
	(50, 1635795125, 'VALENTINA-TANAKA', false, '{17,45,67,69,70,66,82,71,120}', 1, '{"forge_rest_id":1635795125,"forge_graphql_id":"U_kgDOYYBAtQ","login":"valentina-tanaka","name":"Valentina Tanaka","email":"valentina-tanaka@example.net","avatar_url":"https://avatars.forge.example/u/1635795125?v=4","company":"University of Example","location":"Melbourne, Australia","bio":null,"followers":4,"following":7,"type":"User","created_at":"2019-08-13T12:29:28Z","updated_at":"2025-03-15T15:54:06Z"}', DEFAULT),
	(51, 76275129, 'MALIK-VIRTANEN', false, '{67,69,70,66,65,121}', 1, '{"forge_rest_id":76275129,"forge_graphql_id":"U_kgDOBIvduQ","login":"malik-virtanen","name":"Malik Virtanen","email":"me@malik-virtanen.example","avatar_url":"https://avatars.forge.example/u/76275129?v=4","company":null,"location":null,"bio":"Full-stack developer, coffee first ☕","followers":3430,"following":25,"type":"User","created_at":"2008-07-29T22:40:29Z","updated_at":"2024-01-15T15:58:40Z"}', DEFAULT),
	(52, 1344840097, 'DEMIR-DEV', false, '{28,48,67,70,66,71,65,122}', 1, '{"forge_rest_id":1344840097,"forge_graphql_id":"U_kgDOUCihoQ","login":"demir-dev","name":null,"email":"demir-dev+forge@example.com","avatar_url":"https://avatars.forge.example/u/1344840097?v=4","company":null,"location":"Tokyo, Japan","bio":"Full-stack developer, coffee first ☕","followers":19517,"following":247,"type":"User","created_at":"2017-07-24T01:22:26Z","updated_at":"2025-03-14T00:26:23Z"}', DEFAULT),
	(53, 2334091465, 'SALTMARSH-LAB', false, '{9,52,79,69,70,66,71,65,123}', 1, '{"forge_rest_id":2334091465,"forge_graphql_id":"O_kgDOix9oyQ","login":"saltmarsh-lab","name":"Saltmarsh Lab","email":"hello@saltmarsh-lab.example","avatar_url":"https://avatars.forge.example/u/2334091465?v=4","company":null,"location":"Berlin, Germany","bio":"Developer.","followers":5900,"following":0,"type":"Organization","created_at":"2024-07-25T07:55:13Z","updated_at":"2024-12-07T12:30:33Z"}', DEFAULT),
	(54, 543638978, 'TOMAS-ZHANG', false, '{67,69,66,65,124}', 1, '{"forge_rest_id":543638978,"forge_graphql_id":"U_kgDOIGdFwg","login":"tomas-zhang","name":"Tomás Zhang","email":null,"avatar_url":"https://avatars.forge.example/u/543638978?v=4","company":null,"location":null,"bio":"Développeur web, cycliste le week-end","followers":38,"following":29,"type":"User","created_at":"2011-11-18T13:13:34Z","updated_at":"2023-07-11T21:31:00Z"}', DEFAULT),
	(55, 1196354707, 'FILIP85', false, '{14,44,67,69,66,82,71,125}', 1, '{"forge_rest_id":1196354707,"forge_graphql_id":"U_kgDOR07skw","login":"filip85","name":"Filip Lopes","email":null,"avatar_url":"https://avatars.forge.example/u/1196354707?v=4","company":"Example Inc.","location":"London","bio":null,"followers":11,"following":16,"type":"User","created_at":"2016-07-04T07:48:47Z","updated_at":"2024-03-31T23:47:19Z"}', DEFAULT),
	(56, 1663432581, 'EMIL70', false, '{4,60,67,70,66,82,71,126}', 1, '{"forge_rest_id":1663432581,"forge_graphql_id":"U_kgDOYyX3hQ","login":"emil70","name":null,"email":"me@emil70.example","avatar_url":"https://avatars.forge.example/u/1663432581?v=4","company":"Example GmbH","location":"Amsterdam, The Netherlands","bio":null,"followers":1346,"following":25,"type":"User","created_at":"2019-10-24T12:20:09Z","updated_at":"2024-01-09T14:25:09Z"}', DEFAULT),
	(57, 710915639, 'MALIKBIANCHI', false, '{67,69,70,66,127}', 1, '{"forge_rest_id":710915639,"forge_graphql_id":"U_kgDOKl-2Nw","login":"malikbianchi","name":"Malik Bianchi","email":"me@malikbianchi.example","avatar_url":"https://avatars.forge.example/u/710915639?v=4","company":null,"location":null,"bio":null,"followers":99,"following":20,"type":"User","created_at":"2013-01-26T07:54:21Z","updated_at":"2023-08-29T03:58:46Z"}', DEFAULT),
	(58, 2263741343, 'ADAGOLDBERG', false, '{67,69,70,66,65,128}', 1, '{"forge_rest_id":2263741343,"forge_graphql_id":"U_kgDOhu3znw","login":"AdaGoldberg","name":"Ada Goldberg","email":"me@adagoldberg.example","avatar_url":"https://avatars.forge.example/u/2263741343?v=4","company":null,"location":null,"bio":"Maintainer of small libraries. Opinions are cached.","followers":1315,"following":13,"type":"User","created_at":"2024-01-24T04:06:27Z","updated_at":"2024-02-25T21:11:07Z"}', DEFAULT),
	(59, 529900326, 'LEA39', false, '{24,63,67,70,66,71,86}', 1, '{"forge_rest_id":529900326,"forge_graphql_id":"U_kgDOH5WjJg","login":"lea39","name":null,"email":"lea39@example.org","avatar_url":"https://avatars.forge.example/u/529900326?v=4","company":null,"location":"São Paulo","bio":null,"followers":39,"following":710,"type":"User","created_at":"2011-10-13T18:27:50Z","updated_at":"2024-02-10T09:06:31Z"}', DEFAULT),
	(60, 1963584895, 'EVERGLEN-WORKS', false, '{79,69,70,66,105}', 1, '{"forge_rest_id":1963584895,"forge_graphql_id":"O_kgDOdQntfw","login":"everglen-works","name":"Everglen Works","email":"hello@everglen-works.example","avatar_url":"https://avatars.forge.example/u/1963584895?v=4","company":null,"location":null,"bio":null,"followers":8,"following":0,"type":"Organization","created_at":"2021-12-09T16:43:54Z","updated_at":"2025-05-18T05:58:26Z"}', DEFAULT),
	(61, 1911612312, 'ZOEGARCIA', false, '{21,43,67,69,66,82,71,129}', 1, '{"forge_rest_id":1911612312,"forge_graphql_id":"U_kgDOcfDjmA","login":"ZoeGarcia","name":"Zoë Garcia","email":null,"avatar_url":"https://avatars.forge.example/u/1911612312?v=4","company":"@pinecone-lab","location":"New York, NY","bio":null,"followers":26,"following":25,"type":"User","created_at":"2021-07-27T17:46:48Z","updated_at":"2022-11-20T20:57:52Z"}', DEFAULT),
	(62, 1101301680, 'SANNAHANSEN', false, '{67,69,70,66,65,130}', 1, '{"forge_rest_id":1101301680,"forge_graphql_id":"U_kgDOQaSHsA","login":"SannaHansen","name":"Sanna Hansen","email":"sannahansen@example.com","avatar_url":"https://avatars.forge.example/u/1101301680?v=4","company":null,"location":null,"bio":"Maintainer of small libraries. Opinions are cached.","followers":833,"following":18,"type":"User","created_at":"2015-11-01T09:30:43Z","updated_at":"2023-03-11T04:15:47Z"}', DEFAULT),
	(63, 34873349, 'PRIYASTRAND', false, '{14,44,67,69,70,66,82,71,65,131}', 1, '{"forge_rest_id":34873349,"forge_graphql_id":"U_kgDOAhQgBQ","login":"priyastrand","name":"Priya Strand","email":"priyastrand@example.com","avatar_url":"https://avatars.forge.example/u/34873349?v=4","company":"Ejemplo S.L.","location":"London","bio":"Rust 🦀 | Go | distributed systems","followers":68,"following":15,"type":"User","created_at":"2008-04-12T19:42:14Z","updated_at":"2023-03-15T02:07:46Z"}', DEFAULT),
	(64, 2202753903, 'JAKUBZIMMERMANN', false, '{9,52,67,69,70,66,82,71,129}', 1, '{"forge_rest_id":2202753903,"forge_graphql_id":"U_kgDOg0tbbw","login":"jakubzimmermann","name":"Jakub Zimmermann","email":"jakubzimmermann@example.com","avatar_url":"https://avatars.forge.example/u/2202753903?v=4","company":"self-employed","location":"Berlin, Germany","bio":"","followers":26,"following":25,"type":"User","created_at":"2023-08-19T05:12:59Z","updated_at":"2023-10-06T04:05:23Z"}', DEFAULT),
	(65, 1701635144, 'ZHANG-DEV', false, '{23,43,67,69,70,66,71,132}', 1, '{"forge_rest_id":1701635144,"forge_graphql_id":"U_kgDOZWzkSA","login":"zhang-dev","name":"Erik Zhang","email":"zhang-dev+forge@example.com","avatar_url":"https://avatars.forge.example/u/1701635144?v=4","company":null,"location":"San Francisco, CA","bio":null,"followers":4937,"following":16,"type":"User","created_at":"2020-01-31T00:08:55Z","updated_at":"2023-05-30T13:29:31Z"}', DEFAULT),
	(66, 546433975, 'BEATRIZERIKSEN', false, '{24,63,67,69,70,66,82,71,133}', 1, '{"forge_rest_id":546433975,"forge_graphql_id":"U_kgDOIJHrtw","login":"beatrizeriksen","name":"Beatriz Eriksen","email":"beatrizeriksen@example.org","avatar_url":"https://avatars.forge.example/u/546433975?v=4","company":"株式会社サンプル","location":"São Paulo","bio":null,"followers":75,"following":19,"type":"User","created_at":"2011-11-25T06:05:40Z","updated_at":"2023-07-17T23:36:20Z"}', DEFAULT),
	(67, 1432272674, 'NALEDI-ABARA', false, '{36,46,67,69,70,66,82,71,65,134}', 1, '{"forge_rest_id":1432272674,"forge_graphql_id":"U_kgDOVV6_Ig","login":"naledi-abara","name":"Naledi Abara","email":"naledi-abara@example.com","avatar_url":"https://avatars.forge.example/u/1432272674?v=4","company":"Example Inc.","location":"القاهرة، مصر","bio":"Developer.","followers":24149,"following":451,"type":"User","created_at":"2018-03-07T02:47:55Z","updated_at":"2024-08-17T18:23:42Z"}', DEFAULT),
	(68, 1015469290, 'ADASILVA', false, '{7,52,67,69,70,66,82,71,135}', 1, '{"forge_rest_id":1015469290,"forge_graphql_id":"U_kgDOPIbU6g","login":"adasilva","name":"Ada Silva","email":"me@adasilva.example","avatar_url":"https://avatars.forge.example/u/1015469290?v=4","company":"Freelance","location":"Berlin","bio":null,"followers":584,"following":28,"type":"User","created_at":"2015-03-23T10:04:08Z","updated_at":"2025-05-04T22:05:34Z"}', DEFAULT),
	(69, 1352278020, 'OLIVER94', false, '{23,43,67,69,70,82,71,65,136}', 1, '{"forge_rest_id":1352278020,"forge_graphql_id":"U_kgDOUJogBA","login":"oliver94","name":"Oliver Farouk","email":"me@oliver94.example","avatar_url":null,"company":"Example Inc.","location":"San Francisco, CA","bio":"Developer.","followers":5274,"following":29,"type":"User","created_at":"2017-08-10T20:44:22Z","updated_at":"2023-05-15T11:58:36Z"}', DEFAULT),
	(70, 1791854605, 'LANTERNFISH-FOUNDATION', false, '{79,69,70,66,65,137}', 1, '{"forge_rest_id":1791854605,"forge_graphql_id":"O_kgDOas2IDQ","login":"lanternfish-foundation","name":"Lanternfish Foundation","email":"hello@lanternfish-foundation.example","avatar_url":"https://avatars.forge.example/u/1791854605?v=4","company":null,"location":null,"bio":"Front-end, accessibility, type systems.","followers":24,"following":0,"type":"Organization","created_at":"2020-09-20T05:02:42Z","updated_at":"2024-07-06T11:33:20Z"}', DEFAULT),
	(71, 619946256, 'ELIFSHARMA', false, '{23,43,67,69,66,82,71,65,138}', 1, '{"forge_rest_id":619946256,"forge_graphql_id":"U_kgDOJPOhEA","login":"elifsharma","name":"Elif Sharma","email":null,"avatar_url":"https://avatars.forge.example/u/619946256?v=4","company":"Example GmbH","location":"San Francisco, CA","bio":"Developer.","followers":624,"following":15,"type":"User","created_at":"2012-06-03T21:18:41Z","updated_at":"2023-06-29T22:54:21Z"}', DEFAULT),
	(72, 1362532257, 'MAREKHADDAD', false, '{6,62,67,69,66,82,71,112}', 1, '{"forge_rest_id":1362532257,"forge_graphql_id":"U_kgDOUTaXoQ","login":"MarekHaddad","name":"Marek Haddad","email":null,"avatar_url":"https://avatars.forge.example/u/1362532257?v=4","company":"株式会社サンプル","location":"Bengaluru, India","bio":null,"followers":22,"following":26,"type":"User","created_at":"2017-09-04T21:47:10Z","updated_at":"2023-01-21T01:23:00Z"}', DEFAULT),
	(73, 1439530227, 'NWOSU-DEV', false, '{7,52,67,66,82,71,65,139}', 1, '{"forge_rest_id":1439530227,"forge_graphql_id":"U_kgDOVc188w","login":"nwosu-dev","name":null,"email":null,"avatar_url":"https://avatars.forge.example/u/1439530227?v=4","company":"@paperboat-foundation","location":"Berlin","bio":"\"It works on my machine\" – and now on yours","followers":16,"following":2,"type":"User","created_at":"2018-03-27T05:53:14Z","updated_at":"2023-01-13T11:24:34Z"}', DEFAULT),
	(74, 1038779957, 'BJORN-ZIMMERMANN', false, '{30,53,67,69,66,82,71,140}', 1, '{"forge_rest_id":1038779957,"forge_graphql_id":"U_kgDOPeqGNQ","login":"bjorn-zimmermann","name":"Björn Zimmermann","email":null,"avatar_url":"https://avatars.forge.example/u/1038779957?v=4","company":"self-employed","location":"Winterthur (Kanton Zürich)","bio":null,"followers":27047,"following":16,"type":"User","created_at":"2015-05-24T03:00:12Z","updated_at":"2025-03-22T15:54:05Z"}', DEFAULT),
	(75, 267962401, 'ROOKERY-COLLECTIVE', false, '{20,54,79,69,70,66,71,65,113}', 1, '{"forge_rest_id":267962401,"forge_graphql_id":"O_kgDOD_jIIQ","login":"rookery-collective","name":"Rookery Collective","email":"hello@rookery-collective.example","avatar_url":"https://avatars.forge.example/u/267962401?v=4","company":null,"location":"Nairobi, Kenya","bio":"PhD candidate, graph algorithms","followers":33,"following":0,"type":"Organization","created_at":"2009-12-04T13:47:26Z","updated_at":"2023-03-09T08:48:35Z"}', DEFAULT),
	(76, 1083002855, 'NILS-CODES', false, '{14,44,67,69,70,66,82,71,86}', 1, '{"forge_rest_id":1083002855,"forge_graphql_id":"U_kgDOQI1P5w","login":"nils-codes","name":"Nils Goldberg","email":"me@nils-codes.example","avatar_url":"https://avatars.forge.example/u/1083002855?v=4","company":"@velvetleaf-lab","location":"London","bio":null,"followers":39,"following":143,"type":"User","created_at":"2015-09-13T11:47:01Z","updated_at":"2025-05-03T01:42:06Z"}', DEFAULT),
	(77, 425676021, 'ZTANAKA', false, '{12,47,67,69,66,82,71,141}', 1, '{"forge_rest_id":425676021,"forge_graphql_id":"U_kgDOGV9M9Q","login":"ztanaka","name":"Zsófia Tanaka","email":null,"avatar_url":"https://avatars.forge.example/u/425676021?v=4","company":"@openfield-collective","location":"Kraków, Poland","bio":null,"followers":1,"following":161,"type":"User","created_at":"2011-01-16T12:12:12Z","updated_at":"2023-02-25T16:24:14Z"}', DEFAULT),
	(78, 1344444966, 'LMENSAH', false, '{67,69,70,66,82,65,142}', 1, '{"forge_rest_id":1344444966,"forge_graphql_id":"U_kgDOUCKaJg","login":"lmensah","name":"Lea Mensah","email":"me@lmensah.example","avatar_url":"https://avatars.forge.example/u/1344444966?v=4","company":"Ejemplo S.L.","location":null,"bio":"PhD candidate, graph algorithms","followers":1219,"following":49,"type":"User","created_at":"2017-07-22T17:07:36Z","updated_at":"2023-06-20T20:53:35Z"}', DEFAULT),
	(79, 2041447984, 'CHIARASTRAND', false, '{67,69,70,66,82,65,143}', 1, '{"forge_rest_id":2041447984,"forge_graphql_id":"U_kgDOea4GMA","login":"ChiaraStrand","name":"Chiara Strand","email":"chiarastrand+forge@example.com","avatar_url":"https://avatars.forge.example/u/2041447984?v=4","company":"@northwind-lab","location":null,"bio":"Developer.","followers":532,"following":225,"type":"User","created_at":"2022-06-30T13:57:34Z","updated_at":"2024-02-05T22:13:27Z"}', DEFAULT),
	(80, 1520878262, 'NALEDI-ROSSI', false, '{35,49,67,69,70,82,71,144}', 1, '{"forge_rest_id":1520878262,"forge_graphql_id":"U_kgDOWqbCtg","login":"naledi-rossi","name":"Naledi Rossi","email":"naledi-rossi@mail.example","avatar_url":null,"company":"@rookery-collective","location":"МОСКВА, Россия","bio":null,"followers":18,"following":194,"type":"User","created_at":"2018-10-22T12:02:29Z","updated_at":"2023-07-07T05:24:26Z"}', DEFAULT),
	(81, 124865972, 'DIEGO74', false, '{39,42,67,69,70,66,82,71,65,145}', 1, '{"forge_rest_id":124865972,"forge_graphql_id":"U_kgDOB3FNtA","login":"diego74","name":"Diego O''Connor","email":"diego74+forge@example.com","avatar_url":"https://avatars.forge.example/u/124865972?v=4","company":"@pinecone-lab","location":"서울, 대한민국","bio":"Hobbyist game developer","followers":10,"following":16,"type":"User","created_at":"2008-12-02T21:52:27Z","updated_at":"2025-06-21T08:15:51Z"}', DEFAULT),
	(82, 1203280798, 'VELVETLEAF-LAB', false, '{14,44,79,70,66,71,65,146}', 1, '{"forge_rest_id":1203280798,"forge_graphql_id":"O_kgDOR7ibng","login":"velvetleaf-lab","name":null,"email":"hello@velvetleaf-lab.example","avatar_url":"https://avatars.forge.example/u/1203280798?v=4","company":null,"location":"London","bio":"PhD candidate, graph algorithms","followers":9,"following":0,"type":"Organization","created_at":"2016-07-21T12:59:34Z","updated_at":"2024-06-25T08:46:46Z"}', DEFAULT),
	(83, 708303283, 'KAITOBARBOSA', false, '{28,48,67,69,66,71,147}', 1, '{"forge_rest_id":708303283,"forge_graphql_id":"U_kgDOKjfZsw","login":"kaitobarbosa","name":"Kaito Barbosa","email":null,"avatar_url":"https://avatars.forge.example/u/708303283?v=4","company":null,"location":"Tokyo, Japan","bio":null,"followers":25,"following":6,"type":"User","created_at":"2013-01-20T13:36:56Z","updated_at":"2022-10-09T16:21:34Z"}', DEFAULT),
	(84, 1246561143, 'UMA-CODES', false, '{21,43,67,69,66,82,71,65,148}', 1, '{"forge_rest_id":1246561143,"forge_graphql_id":"U_kgDOSk0Ddw","login":"uma-codes","name":"Uma Keller","email":null,"avatar_url":"https://avatars.forge.example/u/1246561143?v=4","company":"self-employed","location":"New York, NY","bio":"Data person.\nNotebooks in the morning, pipelines in the afternoon.","followers":1197,"following":37,"type":"User","created_at":"2016-11-09T14:27:04Z","updated_at":"2023-04-09T09:56:13Z"}', DEFAULT),
	(85, 884831010, 'RAVI-KIMURA', false, '{67,69,66,149}', 1, '{"forge_rest_id":884831010,"forge_graphql_id":"U_kgDONL1zIg","login":"ravi-kimura","name":"Ravi Kimura","email":null,"avatar_url":"https://avatars.forge.example/u/884831010?v=4","company":null,"location":null,"bio":null,"followers":21,"following":1,"type":"User","created_at":"2014-04-18T22:54:12Z","updated_at":"2022-12-08T11:16:22Z"}', DEFAULT),
	(86, 2016065976, 'PRIYANOVAK', false, '{16,41,67,69,70,71,65,150}', 1, '{"forge_rest_id":2016065976,"forge_graphql_id":"U_kgDOeCq5uA","login":"PriyaNovak","name":"Priya Novák","email":"priyanovak@example.com","avatar_url":null,"company":null,"location":"Madrid, España","bio":"Full-stack developer, coffee first ☕","followers":17,"following":54,"type":"User","created_at":"2022-04-25T20:34:11Z","updated_at":"2023-11-27T13:14:43Z"}', DEFAULT),
	(87, 572956120, 'ELIF86', false, '{7,52,67,69,66,82,71,105}', 1, '{"forge_rest_id":572956120,"forge_graphql_id":"U_kgDOIiad2A","login":"elif86","name":"Elif Kimura","email":null,"avatar_url":"https://avatars.forge.example/u/572956120?v=4","company":"Exemple & Fils, S.A.","location":"Berlin","bio":null,"followers":8,"following":22,"type":"User","created_at":"2012-02-01T21:35:03Z","updated_at":"2025-06-01T10:28:55Z"}', DEFAULT),
	(88, 2301323525, 'EJANSEN', false, '{3,67,69,70,66,71,151}', 1, '{"forge_rest_id":2301323525,"forge_graphql_id":"U_kgDOiStpBQ","login":"ejansen","name":"Elif Jansen","email":"ejansen@example.com","avatar_url":"https://avatars.forge.example/u/2301323525?v=4","company":null,"location":"<nowhere>","bio":"","followers":7,"following":33,"type":"User","created_at":"2024-04-29T15:02:08Z","updated_at":"2024-08-08T13:35:38Z"}', DEFAULT),
	(89, 1510165620, 'MPHAM', false, '{67,69,66,82,105}', 1, '{"forge_rest_id":1510165620,"forge_graphql_id":"U_kgDOWgNMdA","login":"mpham","name":"Mateo Pham","email":null,"avatar_url":"https://avatars.forge.example/u/1510165620?v=4","company":"@saltmarsh-lab","location":null,"bio":null,"followers":8,"following":3,"type":"User","created_at":"2018-09-24T19:39:16Z","updated_at":"2023-12-30T20:07:33Z"}', DEFAULT),
	(90, 337537075, 'EMIL-CODES', false, '{7,52,67,69,70,66,71,152}', 1, '{"forge_rest_id":337537075,"forge_graphql_id":"U_kgDOFB5oMw","login":"emil-codes","name":"Emil Hansen","email":"emil-codes@mail.example","avatar_url":"https://avatars.forge.example/u/337537075?v=4","company":null,"location":"Berlin","bio":null,"followers":190,"following":38,"type":"User","created_at":"2010-06-06T11:47:36Z","updated_at":"2023-01-26T12:33:00Z"}', DEFAULT),
	(91, 2318690480, 'FAROUK-DEV', false, '{67,69,66,82,65,106}', 1, '{"forge_rest_id":2318690480,"forge_graphql_id":"U_kgDOijRosA","login":"farouk-dev","name":"Zoë Farouk","email":null,"avatar_url":"https://avatars.forge.example/u/2318690480?v=4","company":"Ejemplo S.L.","location":null,"bio":"Développeur web, cycliste le week-end","followers":23,"following":12,"type":"User","created_at":"2024-06-16T02:47:22Z","updated_at":"2025-04-08T18:45:24Z"}', DEFAULT),
	(92, 1657559388, 'MMOHAMED', false, '{23,43,67,69,66,82,71,65,153}', 1, '{"forge_rest_id":1657559388,"forge_graphql_id":"U_kgDOYsxZXA","login":"mmohamed","name":"Milan Mohamed","email":null,"avatar_url":"https://avatars.forge.example/u/1657559388?v=4","company":"Exemple & Fils, S.A.","location":"San Francisco, CA","bio":"Developer.","followers":2958,"following":121,"type":"User","created_at":"2019-10-12T01:26:37Z","updated_at":"2025-03-14T07:26:31Z"}', DEFAULT),
	(93, 125651732, 'REN310', false, '{24,63,67,69,70,66,71,65,106}', 1, '{"forge_rest_id":125651732,"forge_graphql_id":"U_kgDOB31LFA","login":"ren310","name":"佐藤 蓮","email":"ren310+forge@example.com","avatar_url":"https://avatars.forge.example/u/125651732?v=4","company":null,"location":"são paulo","bio":"Developer.","followers":23,"following":35,"type":"User","created_at":"2008-12-02T03:10:49Z","updated_at":"2023-11-13T01:22:42Z"}', DEFAULT),
	(94, 1980323989, 'DIEGOSILVA', false, '{19,52,67,70,66,71,154}', 1, '{"forge_rest_id":1980323989,"forge_graphql_id":"U_kgDOdglYlQ","login":"diegosilva","name":null,"email":"diegosilva@example.org","avatar_url":"https://avatars.forge.example/u/1980323989?v=4","company":null,"location":"MÜNCHEN","bio":null,"followers":1295,"following":44,"type":"User","created_at":"2022-01-24T01:46:21Z","updated_at":"2023-01-24T20:17:28Z"}', DEFAULT),
	(95, 1276906662, 'YUSUF-BAKKER', false, '{19,52,67,69,70,66,82,71,155}', 1, '{"forge_rest_id":1276906662,"forge_graphql_id":"U_kgDOTBwMpg","login":"yusuf-bakker","name":"Yusuf Bakker","email":"me@yusuf-bakker.example","avatar_url":"https://avatars.forge.example/u/1276906662?v=4","company":"Example GmbH","location":"München","bio":null,"followers":236,"following":5,"type":"User","created_at":"2017-01-28T09:10:35Z","updated_at":"2024-09-25T19:28:43Z"}', DEFAULT),
	(96, 487086945, 'SANNA-OLIVEIRA', false, '{5,61,67,66,71,104}', 1, '{"forge_rest_id":487086945,"forge_graphql_id":"U_kgDOHQhbYQ","login":"sanna-oliveira","name":null,"email":null,"avatar_url":"https://avatars.forge.example/u/487086945?v=4","company":null,"location":"Århus, Danmark","bio":null,"followers":6,"following":18,"type":"User","created_at":"2011-06-28T10:58:50Z","updated_at":"2023-09-12T00:22:52Z"}', DEFAULT),
	(97, 3430948, 'HANNAH-CODES', false, '{2,67,69,70,66,82,71,65,156}', 1, '{"forge_rest_id":3430948,"forge_graphql_id":"U_kgDOADRaJA","login":"hannah-codes","name":"Hannah Abara","email":"hannah-codes@example.net","avatar_url":"https://avatars.forge.example/u/3430948?v=4","company":"Exemple & Fils, S.A.","location":"100% remote","bio":"Développeur web, cycliste le week-end","followers":1173,"following":4,"type":"User","created_at":"2008-01-22T05:21:27Z","updated_at":"2024-09-29T10:23:03Z"}', DEFAULT),
	(98, 2307087511, 'HAKON48', false, '{9,52,67,70,66,82,71,157}', 1, '{"forge_rest_id":2307087511,"forge_graphql_id":"U_kgDOiYNclw","login":"hakon48","name":null,"email":"me@hakon48.example","avatar_url":"https://avatars.forge.example/u/2307087511?v=4","company":"@pinecone-lab","location":"Berlin, Germany","bio":null,"followers":3889,"following":19,"type":"User","created_at":"2024-05-16T03:31:42Z","updated_at":"2025-03-05T09:24:29Z"}', DEFAULT),
	(99, 1711840705, 'HANSEN-DEV', false, '{14,44,67,69,66,71,158}', 1, '{"forge_rest_id":1711840705,"forge_graphql_id":"U_kgDOZgidwQ","login":"hansen-dev","name":"Sofia Hansen","email":null,"avatar_url":"https://avatars.forge.example/u/1711840705?v=4","company":null,"location":"London","bio":null,"followers":2487,"following":306,"type":"User","created_at":"2020-02-27T10:30:44Z","updated_at":"2023-09-26T02:26:17Z"}', DEFAULT),
	(100, 927407697, 'LOWTIDE-COLLECTIVE', false, '{31,53,79,69,66,71,97}', 1, '{"forge_rest_id":927407697,"forge_graphql_id":"O_kgDON0ceUQ","login":"lowtide-collective","name":"Lowtide Collective","email":null,"avatar_url":"https://avatars.forge.example/u/927407697?v=4","company":null,"location":"Zürich","bio":null,"followers":30,"following":0,"type":"Organization","created_at":"2014-08-07T13:01:58Z","updated_at":"2023-03-04T19:39:33Z"}', DEFAULT),
	(101, 1174800848, 'UMAFISCHER', false, '{25,63,67,70,66,82,71,144}', 1, '{"forge_rest_id":1174800848,"forge_graphql_id":"U_kgDORgYJ0A","login":"umafischer","name":null,"email":"umafischer@example.org","avatar_url":"https://avatars.forge.example/u/1174800848?v=4","company":"self-employed","location":"São Paulo, Brasil","bio":null,"followers":18,"following":11,"type":"User","created_at":"2016-05-11T10:32:12Z","updated_at":"2023-09-03T21:40:34Z"}', DEFAULT),
	(102, 2288773045, 'MGARCIA', false, '{10,59,67,70,66,82,71,65,159}', 1, '{"forge_rest_id":2288773045,"forge_graphql_id":"U_kgDOiGvntQ","login":"mgarcia","name":null,"email":"mgarcia@example.com","avatar_url":"https://avatars.forge.example/u/2288773045?v=4","company":"self-employed","location":"Buenos Aires, Argentina","bio":"Ingeniera de software. Me gustan los compiladores.","followers":9850,"following":622,"type":"User","created_at":"2024-03-31T04:41:11Z","updated_at":"2025-06-18T11:22:43Z"}', DEFAULT);
INSERT INTO public.users VALUES
	(103, 198025314, 'YUSUF79', false, '{28,48,67,69,70,66,82,71,160}', 1, '{"forge_rest_id":198025314,"forge_graphql_id":"U_kgDOC82gYg","login":"yusuf79","name":"Yusuf Müller","email":"yusuf79@example.com","avatar_url":"https://avatars.forge.example/u/198025314?v=4","company":"Beispiel AG","location":"Tokyo, Japan","bio":null,"followers":76,"following":191,"type":"User","created_at":"2009-06-10T11:13:03Z","updated_at":"2024-01-11T22:25:43Z"}', DEFAULT),
	(104, 866312363, 'ELIFLOPES', false, '{7,52,67,69,70,66,82,71,113}', 1, '{"forge_rest_id":866312363,"forge_graphql_id":"U_kgDOM6Lgqw","login":"ElifLopes","name":"Elif Lopes","email":"eliflopes@example.net","avatar_url":"https://avatars.forge.example/u/866312363?v=4","company":"Exemple & Fils, S.A.","location":"Berlin","bio":null,"followers":33,"following":26,"type":"User","created_at":"2014-03-01T13:55:55Z","updated_at":"2022-12-18T04:32:22Z"}', DEFAULT),
	(105, 316935779, 'DILARA-JANSEN', false, '{29,64,67,69,70,66,82,71,65,139}', 1, '{"forge_rest_id":316935779,"forge_graphql_id":"U_kgDOEuQOYw","login":"dilara-jansen","name":"Dilara Jansen","email":"me@dilara-jansen.example","avatar_url":"https://avatars.forge.example/u/316935779?v=4","company":"@northwind-foundation","location":"Toronto, Canada","bio":"Developer.","followers":16,"following":58,"type":"User","created_at":"2010-04-11T10:48:18Z","updated_at":"2024-12-24T05:12:10Z"}', DEFAULT),
	(106, 1882020767, 'KMULLER', false, '{67,69,70,66,105}', 1, '{"forge_rest_id":1882020767,"forge_graphql_id":"U_kgDOcC1bnw","login":"kmuller","name":"Kwame Müller","email":"kmuller@example.com","avatar_url":"https://avatars.forge.example/u/1882020767?v=4","company":null,"location":null,"bio":null,"followers":8,"following":685,"type":"User","created_at":"2021-05-12T22:35:24Z","updated_at":"2022-12-21T16:35:09Z"}', DEFAULT),
	(107, 1950276957, 'ERIKSEN-DEV', false, '{22,50,67,69,70,66,82,71,65,161}', 1, '{"forge_rest_id":1950276957,"forge_graphql_id":"U_kgDOdD7dXQ","login":"eriksen-dev","name":"Tereza Eriksen","email":"me@eriksen-dev.example","avatar_url":"https://avatars.forge.example/u/1950276957?v=4","company":"Example Inc.","location":"Paris, France","bio":"Backend engineer. Databases, queues and other slow things made fast.","followers":14,"following":18,"type":"User","created_at":"2021-11-07T10:41:37Z","updated_at":"2023-05-07T06:56:08Z"}', DEFAULT),
	(108, 603103268, 'TIDEWATER-WORKS', false, '{79,70,66,65,162}', 1, '{"forge_rest_id":603103268,"forge_graphql_id":"O_kgDOI_KgJA","login":"tidewater-works","name":null,"email":"hello@tidewater-works.example","avatar_url":"https://avatars.forge.example/u/603103268?v=4","company":null,"location":null,"bio":"Full-stack developer, coffee first ☕","followers":2197,"following":0,"type":"Organization","created_at":"2012-04-19T00:56:11Z","updated_at":"2024-11-08T17:26:05Z"}', DEFAULT),
	(109, 1525271839, 'BLUEFIN-WORKS', false, '{19,52,79,69,66,71,163}', 1, '{"forge_rest_id":1525271839,"forge_graphql_id":"O_kgDOWunNHw","login":"bluefin-works","name":"Bluefin Works","email":null,"avatar_url":"https://avatars.forge.example/u/1525271839?v=4","company":null,"location":"München","bio":null,"followers":17786,"following":0,"type":"Organization","created_at":"2018-10-31T03:56:28Z","updated_at":"2024-04-03T18:59:41Z"}', DEFAULT),
	(110, 1591054302, 'LUCIA13', false, '{67,69,70,66,82,164}', 1, '{"forge_rest_id":1591054302,"forge_graphql_id":"U_kgDOXtWP3g","login":"lucia13","name":"Lucía Lindgren","email":"lucia13@example.net","avatar_url":"https://avatars.forge.example/u/1591054302?v=4","company":"Ejemplo S.L.","location":null,"bio":null,"followers":36,"following":81,"type":"User","created_at":"2019-04-19T09:32:09Z","updated_at":"2022-11-17T01:48:40Z"}', DEFAULT),
	(111, 608417725, 'UBECKER', false, '{67,69,82,165}', 1, '{"forge_rest_id":608417725,"forge_graphql_id":"U_kgDOJEO3vQ","login":"ubecker","name":"Uma Becker","email":null,"avatar_url":null,"company":"@northwind-lab","location":null,"bio":null,"followers":28,"following":28,"type":"User","created_at":"2012-05-06T03:36:25Z","updated_at":"2022-09-16T13:00:52Z"}', DEFAULT),
	(112, 859190652, 'JUANJANSEN', false, '{26,63,67,69,70,66,82,71,65,125}', 1, '{"forge_rest_id":859190652,"forge_graphql_id":"U_kgDOMzY1fA","login":"juanjansen","name":"Juan Jansen","email":"juanjansen@example.org","avatar_url":"https://avatars.forge.example/u/859190652?v=4","company":"self-employed","location":"Sao Paulo, Brazil","bio":"Maintainer of small libraries. Opinions are cached.","followers":11,"following":33,"type":"User","created_at":"2014-02-13T14:03:35Z","updated_at":"2022-10-27T02:55:27Z"}', DEFAULT),
	(113, 2179136043, 'ELIFCOSTA', false, '{13,51,67,69,66,82,71,166}', 1, '{"forge_rest_id":2179136043,"forge_graphql_id":"U_kgDOgeL6Kw","login":"elifcosta","name":"Elif Costa","email":null,"avatar_url":"https://avatars.forge.example/u/2179136043?v=4","company":"@kestrel-works","location":"Lagos, Nigeria","bio":null,"followers":60,"following":47,"type":"User","created_at":"2023-06-21T11:19:28Z","updated_at":"2024-04-28T20:26:41Z"}', DEFAULT),
	(114, 720818433, 'TOMAS-JANSEN', false, '{7,52,67,69,70,66,71,65,112}', 1, '{"forge_rest_id":720818433,"forge_graphql_id":"U_kgDOKvbRAQ","login":"tomas-jansen","name":"Tomás Jansen","email":"me@tomas-jansen.example","avatar_url":"https://avatars.forge.example/u/720818433?v=4","company":null,"location":"Berlin","bio":"Rust 🦀 | Go | distributed systems","followers":22,"following":13,"type":"User","created_at":"2013-02-18T22:17:55Z","updated_at":"2022-12-16T20:59:53Z"}', DEFAULT),
	(115, 1498153189, 'HALCYON-WORKS', false, '{13,51,79,69,70,66,71,65,167}', 1, '{"forge_rest_id":1498153189,"forge_graphql_id":"O_kgDOWUwA5Q","login":"halcyon-works","name":"Halcyon Works","email":"hello@halcyon-works.example","avatar_url":"https://avatars.forge.example/u/1498153189?v=4","company":null,"location":"Lagos, Nigeria","bio":"Full-stack developer, coffee first ☕","followers":85210,"following":0,"type":"Organization","created_at":"2018-08-24T19:17:06Z","updated_at":"2023-06-18T01:30:14Z"}', DEFAULT),
	(116, 173852039, 'YARA-CODES', false, '{25,63,67,69,70,66,71,65,168}', 1, '{"forge_rest_id":173852039,"forge_graphql_id":"U_kgDOClzFhw","login":"yara-codes","name":"Yara Mensah","email":"yara-codes@example.org","avatar_url":"https://avatars.forge.example/u/173852039?v=4","company":null,"location":"SÃO PAULO, Brasil","bio":"Backend engineer. Databases, queues and other slow things made fast.","followers":176,"following":67,"type":"User","created_at":"2009-04-07T21:51:01Z","updated_at":"2023-10-11T23:42:44Z"}', DEFAULT),
	(117, 872761861, 'SOFIA-CODES', false, '{37,48,67,69,66,82,71,169}', 1, '{"forge_rest_id":872761861,"forge_graphql_id":"U_kgDONAVKBQ","login":"sofia-codes","name":"Sofia Dubois","email":null,"avatar_url":"https://avatars.forge.example/u/872761861?v=4","company":"University of Example","location":"東京","bio":null,"followers":1024,"following":21,"type":"User","created_at":"2014-03-17T22:23:39Z","updated_at":"2024-04-09T22:35:11Z"}', DEFAULT),
	(118, 1419368513, 'HADDAD-DEV', false, '{9,52,67,69,70,66,82,71,65,170}', 1, '{"forge_rest_id":1419368513,"forge_graphql_id":"U_kgDOVJnYQQ","login":"haddad-dev","name":"Dilara Haddad","email":"haddad-dev+forge@example.com","avatar_url":"https://avatars.forge.example/u/1419368513?v=4","company":"Beispiel AG","location":"Berlin, Germany","bio":"Security research, CTFs, old hardware","followers":19,"following":486,"type":"User","created_at":"2018-02-02T01:00:19Z","updated_at":"2023-11-03T20:53:48Z"}', DEFAULT),
	(119, 1199649398, 'SUZUKI-DEV', false, '{38,48,67,69,70,66,82,71,65,171}', 1, '{"forge_rest_id":1199649398,"forge_graphql_id":"U_kgDOR4Eydg","login":"suzuki-dev","name":"Sanna Suzuki","email":"suzuki-dev@mail.example","avatar_url":"https://avatars.forge.example/u/1199649398?v=4","company":"Ejemplo S.L.","location":"東京都","bio":"Hobbyist game developer","followers":1613,"following":38,"type":"User","created_at":"2016-07-13T16:01:13Z","updated_at":"2024-08-21T19:41:36Z"}', DEFAULT),
	(120, 214717487, 'VIKTORNGUYEN', false, '{67,69,70,66,82,65,172}', 1, '{"forge_rest_id":214717487,"forge_graphql_id":"U_kgDODMxULw","login":"ViktorNguyen","name":"Viktor Nguyen","email":"viktornguyen@mail.example","avatar_url":"https://avatars.forge.example/u/214717487?v=4","company":"Freelance","location":null,"bio":"Maintainer of small libraries. Opinions are cached.","followers":1914,"following":29,"type":"User","created_at":"2009-07-20T23:34:11Z","updated_at":"2022-09-28T16:22:33Z"}', DEFAULT),
	(1, 2309110892, 'GRACEABARA', false, '{68,67,65,69,66}', 2, '{"forge_rest_id":2309110892,"forge_graphql_id":"U_kgDOiaI8bA","login":"GraceAbara","name":"Grace Abara","email":null,"avatar_url":"https://avatars.forge.example/u/2309110892?v=4","company":null,"location":null,"bio":"Changed by the second load","followers":55,"following":386,"type":"User","created_at":"2024-05-19T11:47:12Z","updated_at":"2024-11-17T13:03:08Z"}', DEFAULT);


--
-- Name: api_keys_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.api_keys_id_seq', 1, true);


--
-- Name: forgotten_people_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.forgotten_people_id_seq', 1, false);


--
-- Name: imports_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.imports_id_seq', 2, true);


--
-- Name: loads_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.loads_id_seq', 2, true);


--
-- Name: removals_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.removals_id_seq', 1, true);


--
-- Name: term_ids; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.term_ids', 465, true);


--
-- Name: api_key_secrets api_key_secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key_secrets
    ADD CONSTRAINT api_key_secrets_pkey PRIMARY KEY (hash);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: attributes attributes_name_value_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attributes
    ADD CONSTRAINT attributes_name_value_key UNIQUE (name, value);


--
-- Name: attributes attributes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attributes
    ADD CONSTRAINT attributes_pkey PRIMARY KEY (id);


--
-- Name: commits commits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commits
    ADD CONSTRAINT commits_pkey PRIMARY KEY (repository_id, commit_hash);


--
-- Name: contributions contributions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contributions
    ADD CONSTRAINT contributions_pkey PRIMARY KEY (identity, repository_id, kind);


--
-- Name: coverage coverage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.coverage
    ADD CONSTRAINT coverage_pkey PRIMARY KEY (only_row);


--
-- Name: dataset dataset_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dataset
    ADD CONSTRAINT dataset_pkey PRIMARY KEY (only_row);


--
-- Name: dataset_versions dataset_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dataset_versions
    ADD CONSTRAINT dataset_versions_pkey PRIMARY KEY (version);


--
-- Name: dependencies dependencies_name_file_status_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dependencies
    ADD CONSTRAINT dependencies_name_file_status_key UNIQUE NULLS NOT DISTINCT (name, file, status);


--
-- Name: dependencies dependencies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dependencies
    ADD CONSTRAINT dependencies_pkey PRIMARY KEY (id);


--
-- Name: forge_repositories forge_repositories_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forge_repositories
    ADD CONSTRAINT forge_repositories_pkey PRIMARY KEY (forge_rest_id);


--
-- Name: forgotten_identities_key forgotten_identities_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forgotten_identities_key
    ADD CONSTRAINT forgotten_identities_key_pkey PRIMARY KEY (only_row);


--
-- Name: forgotten_identities forgotten_identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forgotten_identities
    ADD CONSTRAINT forgotten_identities_pkey PRIMARY KEY (hash);


--
-- Name: forgotten_people forgotten_people_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forgotten_people
    ADD CONSTRAINT forgotten_people_pkey PRIMARY KEY (id);


--
-- Name: grant_references grant_references_api_key_id_position_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grant_references
    ADD CONSTRAINT grant_references_api_key_id_position_key UNIQUE (api_key_id, "position");


--
-- Name: grant_references grant_references_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grant_references
    ADD CONSTRAINT grant_references_pkey PRIMARY KEY (api_key_id, reference);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (api_key_id, idempotency_key);


--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (identity, user_id, is_further);


--
-- Name: imports imports_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (id);


--
-- Name: ledger_days ledger_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger_days
    ADD CONSTRAINT ledger_days_pkey PRIMARY KEY (api_key_id, day, endpoint);


--
-- Name: ledger ledger_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (api_key_id, "position");


--
-- Name: loads loads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.loads
    ADD CONSTRAINT loads_pkey PRIMARY KEY (id);


--
-- Name: locations locations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_pkey PRIMARY KEY (id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);


--
-- Name: rate_limit_windows rate_limit_windows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_limit_windows
    ADD CONSTRAINT rate_limit_windows_pkey PRIMARY KEY (api_key_id, started_at, requests);


--
-- Name: removals removals_kind_forge_rest_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.removals
    ADD CONSTRAINT removals_kind_forge_rest_id_key UNIQUE (kind, forge_rest_id);


--
-- Name: removals removals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.removals
    ADD CONSTRAINT removals_pkey PRIMARY KEY (id);


--
-- Name: repositories repositories_forge_rest_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.repositories
    ADD CONSTRAINT repositories_forge_rest_id_key UNIQUE (forge_rest_id);


--
-- Name: repositories repositories_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.repositories
    ADD CONSTRAINT repositories_pkey PRIMARY KEY (id);


--
-- Name: repository_dependencies repository_dependencies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.repository_dependencies
    ADD CONSTRAINT repository_dependencies_pkey PRIMARY KEY (repository_id);


--
-- Name: sets sets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sets
    ADD CONSTRAINT sets_pkey PRIMARY KEY (term_id, list, part);


--
-- Name: user_activity user_activity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_activity
    ADD CONSTRAINT user_activity_pkey PRIMARY KEY (user_id);


--
-- Name: user_addresses user_addresses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_addresses
    ADD CONSTRAINT user_addresses_pkey PRIMARY KEY (user_id);


--
-- Name: user_dependencies user_dependencies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_dependencies
    ADD CONSTRAINT user_dependencies_pkey PRIMARY KEY (user_id);


--
-- Name: users users_forge_rest_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_forge_rest_id_key UNIQUE (forge_rest_id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: api_key_secrets_api_key_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_key_secrets_api_key_id_idx ON public.api_key_secrets USING btree (api_key_id);


--
-- Name: attributes_name_number_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX attributes_name_number_idx ON public.attributes USING btree (name, number);


--
-- Name: commits_repository_id_position_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commits_repository_id_position_idx ON public.commits USING btree (repository_id, "position");


--
-- Name: contributions_repository_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contributions_repository_id_idx ON public.contributions USING btree (repository_id);


--
-- Name: dependencies_name_key_file_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX dependencies_name_key_file_idx ON public.dependencies USING btree (name_key, file);


--
-- Name: forgotten_identities_person_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX forgotten_identities_person_id_idx ON public.forgotten_identities USING btree (person_id);


--
-- Name: idempotency_keys_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);


--
-- Name: identities_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX identities_user_id_idx ON public.identities USING btree (user_id);


--
-- Name: loads_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX loads_id_idx ON public.loads USING btree (id) WHERE covers_all;


--
-- Name: locations_md5_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX locations_md5_idx ON public.locations USING btree (md5(location_key));


--
-- Name: locations_users_count_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX locations_users_count_idx ON public.locations USING btree (users_count) WHERE (users_count >= 3);


--
-- Name: removals_version_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX removals_version_idx ON public.removals USING btree (version);


--
-- Name: repositories_full_name_key_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX repositories_full_name_key_idx ON public.repositories USING btree (full_name_key);


--
-- Name: repositories_pushed_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX repositories_pushed_at_idx ON public.repositories USING btree (pushed_at);


--
-- Name: repositories_url_key_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX repositories_url_key_idx ON public.repositories USING btree (url_key);


--
-- Name: repositories_version_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX repositories_version_idx ON public.repositories USING btree (version);


--
-- Name: user_activity_last_date_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX user_activity_last_date_idx ON public.user_activity USING btree (last_date);


--
-- Name: user_addresses_version_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX user_addresses_version_idx ON public.user_addresses USING btree (version);


--
-- Name: users_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_id_idx ON public.users USING btree (id) WHERE is_bot;


--
-- Name: users_login_key_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_login_key_idx ON public.users USING btree (login_key);


--
-- Name: users_version_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_version_idx ON public.users USING btree (version);


--
-- Name: api_keys refuse_permission_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_permission_change BEFORE UPDATE ON public.api_keys FOR EACH ROW WHEN (((old.role IS DISTINCT FROM new.role) OR (old.scopes IS DISTINCT FROM new.scopes))) EXECUTE FUNCTION public.refuse_change('role and scopes of a key never change: make another key');


--
-- Name: api_key_secrets api_key_secrets_api_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key_secrets
    ADD CONSTRAINT api_key_secrets_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);


--
-- Name: forgotten_identities forgotten_identities_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forgotten_identities
    ADD CONSTRAINT forgotten_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.forgotten_people(id) ON DELETE CASCADE;


--
-- Name: grant_references grant_references_api_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grant_references
    ADD CONSTRAINT grant_references_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);


--
-- Name: FUNCTION analyze_table(name regclass); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.analyze_table(name regclass) FROM PUBLIC;


--
-- Name: FUNCTION drop_staging_table(id oid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.drop_staging_table(id oid) FROM PUBLIC;


--
-- Name: FUNCTION settle(requests json, wait_for_locks boolean, dataset_version bigint, found_items integer[], max_seconds integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.settle(requests json, wait_for_locks boolean, dataset_version bigint, found_items integer[], max_seconds integer) FROM PUBLIC;


--
-- Name: FUNCTION sweep_idempotency_keys(max_keys integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.sweep_idempotency_keys(max_keys integer) FROM PUBLIC;


--
-- PostgreSQL database dump complete
--


