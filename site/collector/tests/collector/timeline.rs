//! Restarts and lost clocks on the axis of time, small charts, and days of the site's time zone.

use crate::common::{NOON, Site, message};
use serde_json::{Value, json};

const HOUR: i64 = 3_600_000;

fn set_zone(site: &Site, zone: &str) -> u16 {
    let body = json!({ "zone": zone }).to_string();
    let answer = site.client.request("PATCH", "/api/v1/site", &[], &body);
    answer.status
}

#[test]
fn a_restart_and_a_lost_clock_are_events() {
    let site = Site::start();
    let with_flag = |session, counter, at, lost: f64| {
        let mut message = message("3f9a01c2", session, counter, at, 0.0);
        message["values"]["clock_lost"] = json!({"value": lost, "unit": "1"});
        message
    };
    site.client.send(&[
        with_flag(1, 0, NOON - 30 * HOUR, 0.0),
        with_flag(2, 0, NOON - 10 * HOUR, 1.0),
        with_flag(2, 1, NOON - 9 * HOUR, 1.0),
        with_flag(2, 2, NOON - 5 * HOUR, 0.0),
        with_flag(3, 7, NOON - 2 * HOUR, 1.0),
    ]);
    let events = site.client.get("/api/v1/stations/3f9a01c2/events").ok();
    let told: Vec<(i64, &str)> = events["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let at = one["at"].as_i64().expect("a time");
            (at, one["event"].as_str().expect("text"))
        })
        .collect();
    let at = |hours: i64| NOON - hours * HOUR;
    // The session of the day before began earlier, and two hours without a clock are one event.
    assert_eq!(
        told,
        [
            (at(10), "clock_lost"),
            (at(10), "restart"),
            (at(2), "clock_lost"),
            (at(2), "restart"),
        ]
    );
}

#[test]
fn a_small_chart_has_an_hour_for_each_of_the_last_24() {
    let site = Site::start();
    let at = |hours: i64| NOON - hours * HOUR;
    site.client.send(&[
        message("a", 1, 0, at(30), 5.0),
        message("a", 1, 1, at(23), 7.0),
        message("a", 1, 2, NOON, 7.4),
        // A gateway whose clock is four minutes ahead.
        message("b", 1, 0, NOON + 240_000, 1.0),
    ]);
    let rain = site.client.get("/api/v1/sparklines?name=rain_total").ok();
    let line = rain["stations"]["site:a"].as_array().expect("a list");
    assert_eq!(
        (line.len(), &line[0], &line[23]),
        (24, &json!(2.0), &json!(0.4))
    );
    assert!(line[1..23].iter().all(Value::is_null));
    let battery = site.client.get("/api/v1/sparklines?name=battery").ok();
    assert_eq!(battery["stations"]["site:a"][23], 3.9);
    assert_eq!(site.client.get("/api/v1/sparklines").status, 400);
}

#[test]
fn days_are_those_of_the_sites_time_zone() {
    let mut site = Site::start();
    // 02:00 and 04:00 UTC of 21 November: 23:00 of the 20th and 01:00 of the 21st in São Paulo.
    site.client.send(&[
        message("a", 1, 0, NOON - 20 * HOUR, 10.0),
        message("a", 1, 1, NOON - 10 * HOUR, 13.0),
        message("a", 1, 2, NOON - 8 * HOUR, 14.0),
    ]);
    let days = |site: &Site| {
        let path = format!("/api/v1/stations/a/rain?step=day&from={}", NOON - 24 * HOUR);
        let rain = site.client.get(&path).ok();
        (rain["t"].clone(), rain["mm"].clone(), rain["total"].clone())
    };
    let midnight = NOON - 12 * HOUR;
    assert_eq!(
        days(&site),
        (
            json!([midnight - 24 * HOUR, midnight]),
            json!([0.0, 4.0]),
            json!(4.0)
        )
    );
    for wrong in ["", "Atlantis/Capital", "../../etc/passwd", "/etc/localtime"] {
        assert_eq!(set_zone(&site, wrong), 400, "{wrong}");
    }
    assert_eq!(set_zone(&site, "America/Sao_Paulo"), 200);
    let local = midnight + 3 * HOUR;
    let told = (
        json!([local - 24 * HOUR, local]),
        json!([3.0, 1.0]),
        json!(4.0),
    );
    assert_eq!(days(&site), told);
    site.restart();
    assert_eq!(days(&site), told, "the zone is kept");
    let series = "/api/v1/stations/a/series?name=temperature&step=day";
    let series = site
        .client
        .get(&format!("{series}&from={}", NOON - 24 * HOUR))
        .ok();
    assert_eq!(
        (&series["count"], &series["max"]),
        (&json!([2, 1]), &json!([0.1, 0.2]))
    );
}
