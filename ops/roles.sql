-- Two roles instead of a superuser: the owner changes the shape of the database (tools.prepare,
-- manage.py rebuild), the product itself reads and writes rows and cannot switch off the triggers
-- that keep the log. The image of PostgreSQL runs this once, on an empty data folder; elsewhere:
--   psql -d headjudge -v owner_password=... -v app_password=... -f ops/roles.sql
\set ON_ERROR_STOP on
\if :{?owner}
\else
  \set owner headjudge_owner
\endif
\if :{?app}
\else
  \set app headjudge
\endif
\if :{?owner_password}
\else
  \set owner_password `cat /run/secrets/owner_password`
\endif
\if :{?app_password}
\else
  \set app_password `cat /run/secrets/app_password`
\endif

CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"app" LOGIN PASSWORD :'app_password';
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE :"DBNAME" TO :"app";
ALTER DATABASE :"DBNAME" OWNER TO :"owner";
ALTER SCHEMA public OWNER TO :"owner";
GRANT USAGE ON SCHEMA public TO :"app";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"app";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public
  GRANT USAGE, SELECT ON SEQUENCES TO :"app";
