-- A settlement's plans do not depend on what it is asked: make them once for a session. PostgreSQL would compare costs
-- and plan some of its statements anew each time, which took half of the time of a small group.
alter function settle(json, boolean) set plan_cache_mode = force_generic_plan;
