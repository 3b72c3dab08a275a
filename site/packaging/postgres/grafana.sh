#!/bin/sh
# The postgres image runs this once, when its database is new. Creates a read-only user.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$GRAFANA_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE grafana LOGIN PASSWORD :'password';
GRANT pg_read_all_data TO grafana;
ALTER ROLE grafana SET default_transaction_read_only = on;
ALTER ROLE grafana SET statement_timeout = '30s';
SQL
