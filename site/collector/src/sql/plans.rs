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
fn no_frequent_statement_reads_a_whole_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Location::Sqlite(folder.path().join("readings.db"));
    let mut db = place.open_writer(None).expect("opens");
    schema::migrate(&mut *db).expect("migrated");
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
    ] {
        for step in plan(&mut *db, sql) {
            // The rows of one alarm or station are few.
            assert!(!step.starts_with("SCAN"), "{step}: {sql}");
        }
    }
    // A page of the newest rows needs no sorting.
    for sql in [past_alarms(), events(false)] {
        let steps = plan(&mut *db, &sql);
        let sorts = steps.iter().any(|step| step.contains("TEMP B-TREE"));
        assert!(!sorts, "{steps:?}: {sql}");
    }
}
