//! The Grafana dashboard: runs each of its queries against a real PostgreSQL with the collector's
//! tables and readings.

use crate::common::postgres::Cluster;
use crate::common::{NOON, Site, message, place};
use serde_json::Value;

/// Substitutes Grafana's variables.
fn filled(sql: &str) -> String {
    sql.replace("$__from", &(NOON - 86_400_000).to_string())
        .replace("$__to", &NOON.to_string())
        .replace("$station", "'site:3f9a01c2','site:4c000001'")
}

#[test]
fn every_query_is_answered_by_the_tables_as_they_are() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let site = Site::start_with(|config| config.database = place(&cluster));
    let mut messages = Vec::new();
    for counter in 0..30_u32 {
        let at = NOON - 3_600_000 + i64::from(counter) * 60_000;
        messages.push(message("3f9a01c2", 1, counter * 2, at, f64::from(counter)));
    }
    messages.push(message("4c000001", 1, 0, NOON - 60_000, 1.0));
    site.client.send(&messages);

    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../packaging/grafana/dashboards/selo.json"
    );
    let text = std::fs::read_to_string(file).expect("the dashboard");
    let board: Value = serde_json::from_str(&text).expect("JSON");
    let mut db = place(&cluster).open_reader().expect("connects");
    let mut asked = 0;
    for variable in board["templating"]["list"].as_array().expect("a list") {
        let rows = db
            .query(variable["query"].as_str().expect("SQL"), &[])
            .expect("answered");
        assert_eq!(rows.len(), 2);
    }
    for panel in board["panels"].as_array().expect("a list") {
        for target in panel["targets"].as_array().expect("a list") {
            let sql = filled(target["rawSql"].as_str().expect("SQL"));
            assert!(
                !sql.contains('$'),
                "a variable that this test does not know: {sql}"
            );
            // The collector has no timestamp type, so aggregate them as text.
            let sql = format!("SELECT COUNT(*), STRING_AGG(t::text, chr(10)) FROM ({sql}) AS t");
            let rows = db
                .query(&sql, &[])
                .unwrap_or_else(|error| panic!("{}: {error}", panel["title"]));
            let alarms = panel["title"] == "Alarms";
            assert!(rows[0].int(0) > 0 || alarms, "{}: nothing", panel["title"]);
            if panel["title"] == "Stations" {
                // 30 readings with even counters: 29 odd ones between them are lost.
                let text = rows[0].text(1);
                assert!(text.contains(",30,0,-90,29,"), "{text}");
            }
            if panel["title"] == "Rain per day" {
                assert!(rows[0].text(1).contains("garden,29"), "{}", rows[0].text(1));
            }
            asked += 1;
        }
    }
    assert_eq!(asked, 6);
}
