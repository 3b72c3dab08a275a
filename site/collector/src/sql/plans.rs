//! How SQLite carries out the statements of alarms, notices and stations. They run often, and
//! their tables may have hundreds of thousands of rows.

use super::*;
use crate::db::{Database, Location, Value};
use crate::schema;

/// The steps of a statement's plan. The values of parameters do not change it.
fn plan(db: &mut dyn Database, sql: &str) -> Vec<String> {
    let most = (1..=200).rev().find(|at| sql.contains(&format!("?{at}")));
    let parameters = vec![Value::Int(1); most.unwrap_or(0)];
    let rows = db.query(&format!("EXPLAIN QUERY PLAN {sql}"), &parameters);
    let rows = rows.expect("a plan");
    rows.iter().map(|row| row.text(3).to_string()).collect()
}

#[test]
fn readings_of_a_span_are_found_by_session_and_counter() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Location::Sqlite(folder.path().join("readings.db"));
    let mut db = place.open_writer(None).expect("opens");
    schema::migrate(&mut *db).expect("migrated");
    for sql in [
        AFTER,
        RAW_SERIES,
        &rollup_series("rollup_minute"),
        EXPORT,
        &format!("{} {}", FRAMES.0, FRAMES.1),
        &format!("{} {}", FRAMES_OF.0, FRAMES_OF.1),
        PRUNE_READINGS,
        PRUNE_AHEAD,
        PRUNE_SPANS,
        packed::UNSETTLED,
    ] {
        let steps = plan(&mut *db, sql);
        let by_both = |step: &String| step.contains("(session,counter)>(?,?)");
        assert!(steps.iter().any(by_both), "{steps:?}: {sql}");
    }
}

#[test]
fn no_frequent_statement_reads_a_whole_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Location::Sqlite(folder.path().join("readings.db"));
    let mut db = place.open_writer(None).expect("opens");
    // As a program of the version before the indexes of alarms left it.
    schema::migrate_to(&mut *db, 7).expect("the older version");
    assert!(!schema::migrate(&mut *db).expect("migrated"));
    for sql in [
        BLOCKED_UNTIL,
        NEXT_NOTICES,
        NEXT_DUE,
        COUNT_NOTICES,
        COUNT_WAITING,
        DROP_NOTICE,
        DELETE_UNSENT,
        IS_WAITING,
        WAS_SENT,
        DELETE_ESCALATIONS,
        PRUNE_ALARMS,
        PRUNE_JOURNAL,
        BOUND_ALARMS,
        BOUND_JOURNAL,
        EXPORT_JOURNAL,
        &events(false),
        &events(true),
        &alarm_of_id(),
        &active_alarms_of(3),
        &stations(Some(3)),
        &brief_stations(Some(3)),
        &sparklines(Some(3)),
        QUANTITIES_OF,
        RAW_SERIES,
        &rollup_series("rollup_hour"),
        RESTARTS,
        FLAGGED_HOURS,
        RAIN_OVER,
        &format!("{} {}", FRAMES.0, FRAMES.1),
        &format!("{} {}", FRAMES_OF.0, FRAMES_OF.1),
    ] {
        for step in plan(&mut *db, sql) {
            // The rows of one alarm or station are few, and so are `d`, a
            // day's rain, and `n`, 2,000 sessions.
            let is_whole =
                step.starts_with("SCAN") && !["SCAN d", "SCAN n"].contains(&step.as_str());
            assert!(!is_whole, "{step}: {sql}");
        }
    }
    // Lists of all stations read the table of stations, and the index of the active alarms.
    for sql in [&brief_stations(None), STATION_NAMES, &active_alarms()] {
        for step in plan(&mut *db, sql) {
            let table = step.strip_prefix("SCAN ").unwrap_or("s");
            let is_short = ["s", "station", "d", "alarm USING INDEX alarm_open"];
            assert!(
                is_short.iter().any(|one| table.starts_with(one)),
                "{step}: {sql}"
            );
        }
    }
    // A page of the newest rows needs no sorting.
    for sql in [past_alarms(), events(false)] {
        let steps = plan(&mut *db, &sql);
        let sorts = steps.iter().any(|step| step.contains("TEMP B-TREE"));
        assert!(!sorts, "{steps:?}: {sql}");
    }
}
