//! The tables in which PostgreSQL keeps readings and their roll-ups, and the way from the tables of
//! earlier versions to them.
//!
//! Each statement and each byte of the log counts: a station, a quantity and a list of quantities
//! are numbers here, values are arrays, and readings have one B-tree. Their time has none: a row of
//! `span` names the readings of a station and a day, and blocks of rows have a range of times (BRIN).
//! There are no minutes: they are made of the readings, and only what a total grew by in a minute is
//! kept. Views have the names and columns of the earlier tables.

/// Replaces the earlier tables by these. Everything is in one transaction.
pub const PACK: &str = "
    CREATE TABLE station_number(
        station TEXT PRIMARY KEY,
        number INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE
    );
    CREATE TABLE quantity_number(
        name TEXT PRIMARY KEY,
        number INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE
    );
    CREATE TABLE layout(               -- the quantities of a reading, in the order of its values
        names TEXT PRIMARY KEY,        -- separated by commas
        number INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE
    );
    CREATE TABLE packed_reading(
        session BIGINT NOT NULL,
        counter BIGINT NOT NULL,
        received BIGINT NOT NULL,      -- the gateway's time
        stored BIGINT NOT NULL,        -- the collector's time
        batch BIGINT NOT NULL,         -- above meta.settled: not yet in roll-ups and stations
        rssi BIGINT,
        station INTEGER NOT NULL,
        layout INTEGER NOT NULL,
        authenticated BOOLEAN NOT NULL,
        gateway TEXT,
        payload BYTEA NOT NULL,
        data DOUBLE PRECISION[] NOT NULL
    );
    CREATE TABLE span(                 -- where the readings of a station and a day are
        station INTEGER NOT NULL,
        day BIGINT NOT NULL,
        low_session BIGINT NOT NULL,
        low_counter BIGINT NOT NULL,
        high_session BIGINT NOT NULL,
        high_counter BIGINT NOT NULL,
        PRIMARY KEY(station, day)
    );
    -- Room in each page, so that a changed row stays in it and no index changes.
    CREATE TABLE packed_hour(PACKED_ROLLUP) WITH (fillfactor = 70);
    CREATE TABLE packed_day(PACKED_ROLLUP) WITH (fillfactor = 50);
    ALTER TABLE station SET (fillfactor = 50);
    ALTER TABLE session SET (fillfactor = 50);
    CREATE TABLE grown_minute(         -- minutes in which a total grew
        station INTEGER NOT NULL,
        name INTEGER NOT NULL,
        at BIGINT NOT NULL,
        amount DOUBLE PRECISION NOT NULL,
        PRIMARY KEY(station, name, at)
    );
    CREATE FUNCTION selo_data(names TEXT, data DOUBLE PRECISION[]) RETURNS TEXT
        LANGUAGE SQL IMMUTABLE AS $$
            SELECT COALESCE(json_object_agg(name, value)::TEXT, '{}')
            FROM unnest(string_to_array(names, ','), data) AS one(name, value)
        $$;

    CREATE FUNCTION selo_exact(value DOUBLE PRECISION) RETURNS DOUBLE PRECISION
        LANGUAGE SQL IMMUTABLE AS $$ -- as `rollup::exact`
            SELECT CASE WHEN abs(value) < 64 THEN round(value * 1073741824) / 1073741824
                ELSE round(value / 2::DOUBLE PRECISION ^ (floor(ln(abs(value)) / ln(2)) - 36))
                    * 2::DOUBLE PRECISION ^ (floor(ln(abs(value)) / ln(2)) - 36) END
        $$;

    INSERT INTO station_number(station)
        SELECT station FROM station UNION SELECT station FROM quantity
        UNION SELECT station FROM reading UNION SELECT station FROM rollup_day
        UNION SELECT station FROM rollup_hour ORDER BY 1;
    INSERT INTO quantity_number(name)
        SELECT name FROM quantity UNION SELECT name FROM rollup_day
        UNION SELECT name FROM rollup_hour UNION SELECT name FROM rollup_minute ORDER BY 1;
    CREATE TEMPORARY TABLE shape ON COMMIT DROP AS
        SELECT DISTINCT COALESCE((SELECT string_agg(key, ',' ORDER BY key COLLATE \"C\")
            FROM json_object_keys(data::JSON) AS key), '') AS names FROM reading;
    INSERT INTO layout(names) SELECT names FROM shape;
    INSERT INTO packed_reading(session, counter, received, stored, batch, rssi, station, layout,
            authenticated, gateway, payload, data)
        SELECT r.session, r.counter, r.received, r.stored, 0, r.rssi, s.number, l.number,
            r.authenticated = 1, r.gateway, r.payload, v.numbers
        FROM reading r
        CROSS JOIN LATERAL (SELECT
                COALESCE(string_agg(key, ',' ORDER BY key COLLATE \"C\"), '') AS names,
                COALESCE(array_agg(value::DOUBLE PRECISION ORDER BY key COLLATE \"C\"),
                    ARRAY[]::DOUBLE PRECISION[]) AS numbers
            FROM json_each_text(r.data::JSON)) v
        JOIN station_number s ON s.station = r.station
        JOIN layout l ON l.names = v.names;
    ALTER TABLE packed_reading ADD PRIMARY KEY(station, session, counter);
    CREATE INDEX packed_reading_by_time ON packed_reading USING brin(received, batch)
        WITH (pages_per_range = 32, autosummarize = on);
    INSERT INTO span
        SELECT station, day, low[1], low[2], high[1], high[2] FROM (
            SELECT station, received / 86400000 * 86400000 AS day,
                min(ARRAY[session, counter]) AS low, max(ARRAY[session, counter]) AS high
            FROM packed_reading GROUP BY 1, 2) found;
    INSERT INTO packed_hour SELECT s.number, n.number, r.at, r.count, r.min, r.max, r.sum, r.amount,
            r.last, r.last_session, r.last_counter
        FROM rollup_hour r JOIN station_number s USING (station) JOIN quantity_number n USING (name);
    INSERT INTO packed_day SELECT s.number, n.number, r.at, r.count, r.min, r.max, r.sum, r.amount,
            r.last, r.last_session, r.last_counter
        FROM rollup_day r JOIN station_number s USING (station) JOIN quantity_number n USING (name);
    INSERT INTO grown_minute SELECT s.number, n.number, r.at, r.amount
        FROM rollup_minute r JOIN station_number s USING (station)
            JOIN quantity_number n USING (name)
        WHERE r.amount <> 0;
    -- Minutes that were deleted before their readings.
    INSERT INTO grown_minute
        SELECT station, name, received / 60000 * 60000, SUM(grown) FROM (
            SELECT r.station, n.number AS name, r.received, CASE
                WHEN v.value >= before.value THEN v.value - before.value
                ELSE GREATEST(v.value, 0) END AS grown
            FROM (SELECT p.station, p.received, one.name, one.value,
                    lag(one.value) OVER (PARTITION BY p.station, one.name
                        ORDER BY p.session, p.counter) AS earlier
                FROM packed_reading p JOIN layout l ON l.number = p.layout
                CROSS JOIN LATERAL unnest(string_to_array(l.names, ','), p.data)
                    AS one(name, value)
                WHERE one.name LIKE '%\\_total') r
            CROSS JOIN LATERAL (SELECT r.value) v(value)
            CROSS JOIN LATERAL (SELECT r.earlier) before(value)
            JOIN quantity_number n ON n.name = r.name
            WHERE r.earlier IS NOT NULL
                AND r.received < COALESCE((SELECT MIN(at) FROM rollup_minute), 0)
        ) found WHERE grown <> 0 GROUP BY 1, 2, 3
        ON CONFLICT DO NOTHING;
    DROP TABLE reading, rollup_minute, rollup_hour, rollup_day;

    CREATE VIEW reading AS
        SELECT s.station, r.session, r.counter, r.received, r.stored, r.gateway,
            split_part(s.station, ':', 1) AS site, r.authenticated::INTEGER::BIGINT AS authenticated,
            r.rssi, r.payload, selo_data(l.names, r.data) AS data
        FROM packed_reading r JOIN station_number s ON s.number = r.station
            JOIN layout l ON l.number = r.layout;
    CREATE VIEW rollup_hour AS
        SELECT s.station, n.name, r.at, r.count, r.min, r.max, r.sum, r.amount, r.last,
            r.last_session, r.last_counter
        FROM packed_hour r JOIN station_number s ON s.number = r.station
            JOIN quantity_number n ON n.number = r.name;
    CREATE VIEW rollup_day AS
        SELECT s.station, n.name, r.at, r.count, r.min, r.max, r.sum, r.amount, r.last,
            r.last_session, r.last_counter
        FROM packed_day r JOIN station_number s ON s.number = r.station
            JOIN quantity_number n ON n.number = r.name;
    CREATE VIEW rollup_minute AS
        SELECT s.station, n.name, m.at, m.count, m.min, m.max, m.sum, COALESCE(g.amount, 0) AS amount,
            m.last, m.last_session, m.last_counter
        FROM (SELECT r.station, one.name, r.received / 60000 * 60000 AS at, COUNT(*) AS count,
                MIN(one.value) AS min, MAX(one.value) AS max, SUM(selo_exact(one.value)) AS sum,
                (array_agg(one.value ORDER BY r.session DESC, r.counter DESC))[1] AS last,
                (MAX(ARRAY[r.session, r.counter]))[1] AS last_session,
                (MAX(ARRAY[r.session, r.counter]))[2] AS last_counter
            FROM packed_reading r JOIN layout l ON l.number = r.layout
                CROSS JOIN LATERAL unnest(string_to_array(l.names, ','), r.data)
                    AS one(name, value)
            GROUP BY 1, 2, 3) m
        JOIN station_number s ON s.number = m.station JOIN quantity_number n ON n.name = m.name
        LEFT JOIN grown_minute g ON g.station = m.station AND g.name = n.number AND g.at = m.at;
";

const ROLLUP: &str = "
        station INTEGER NOT NULL,
        name INTEGER NOT NULL,
        BUCKET_COLUMNS,
        PRIMARY KEY(station, name, at)";

/// The step of the schema.
pub fn pack() -> String {
    PACK.replace("PACKED_ROLLUP", ROLLUP)
}
