//! The API over real HTTP.

mod described;

use crate::common::{NOON, Site, message, on_each_database};
use serde_json::{Value, json};

#[test]
fn a_reading_goes_from_a_request_to_every_answer() {
    let site = Site::start();
    let sent = site.client.send(&[
        message("3f9a01c2", 1, 0, NOON - 180_000, 10.0),
        message("3f9a01c2", 1, 1, NOON - 120_000, 10.2),
        message("3f9a01c2", 1, 3, NOON - 60_000, 11.0),
        message("3f9a01c2", 1, 1, NOON - 120_000, 10.2),
    ]);
    assert_eq!(sent, ["stored", "stored", "stored", "duplicate"]);

    let stations = site.client.get("/api/v1/stations").ok();
    let station = &stations["stations"][0];
    assert_eq!(station["device"], "3f9a01c2");
    assert_eq!(station["state"], "online");
    assert_eq!(station["received"], 3);
    assert_eq!(station["lost"], 1);
    assert_eq!(station["duplicates"], 1);
    assert_eq!(station["counter"], 3);
    assert_eq!(station["session"], "0000000000000001");
    assert_eq!(
        station["rain"],
        json!({"hour": 1.0, "day": 1.0, "unit": "mm"})
    );
    assert_eq!(
        station["values"]["rain_total"],
        json!({"value": 11.0, "unit": "mm"})
    );

    let path = "/api/v1/stations/3f9a01c2/series?name=temperature";
    let raw = site.client.get(&format!("{path}&step=raw")).ok();
    assert_eq!(
        raw["t"],
        json!([NOON - 180_000, NOON - 120_000, NOON - 60_000])
    );
    assert_eq!(raw["last"], json!([0.0, 0.1, 0.3]));
    let hours = site.client.get(&format!("{path}&step=hour")).ok();
    assert_eq!(hours["count"], json!([3]));
    assert_eq!(hours["mean"], json!([0.133333]));
    let rain = "/api/v1/stations/3f9a01c2/rain?step=minute";
    assert_eq!(site.client.get(rain).ok()["mm"], json!([0.0, 0.2, 0.8]));

    let frames = site.client.get("/api/v1/frames?limit=2").ok();
    assert_eq!(frames["frames"][0]["counter"], 3);
    assert_eq!(frames["frames"][0]["lost_before"], 1);
    assert_eq!(frames["frames"][1]["lost_before"], 0);
    let next = frames["next"].as_str().expect("more");
    let rest = site
        .client
        .get(&format!("/api/v1/frames?limit=2&before={next}"))
        .ok();
    assert_eq!(rest["frames"].as_array().expect("a list").len(), 1);
    assert_eq!(rest["frames"][0]["counter"], 0);

    let csv = site.client.get("/api/v1/export").text;
    assert_eq!(
        csv.lines().nth(1),
        Some(
            "3f9a01c2,0000000000000001,0,2026-11-21T11:57:00.000Z,north,-90,true,00112233,site,3.9,10,0"
        )
    );
    assert_eq!(csv.lines().count(), 4);
}

#[test]
fn who_may_do_what() {
    let site = Site::start();
    let mut nobody = site.client.clone();
    nobody.cookie = None;
    for path in [
        "me", "stations", "frames", "alarms", "rules", "export", "events", "tokens", "pairing",
    ] {
        assert_eq!(nobody.get(&format!("/api/v1/{path}")).status, 401, "{path}");
    }
    let reading = message("3f9a01c2", 1, 0, NOON, 1.0).to_string();
    assert_eq!(nobody.post("/api/v1/readings", &reading).status, 401);
    assert_eq!(nobody.get("/healthz").status, 200);
    let with_token = |role: &str| {
        let body = json!({"name": "probe", "role": role, "stations": ["3f9a01c2"]}).to_string();
        let answer = site.client.post("/api/v1/tokens", &body);
        assert_eq!(answer.status, 201, "{}", answer.text);
        let mut client = nobody.clone();
        client.token = answer.json()["token"].as_str().map(str::to_string);
        client
    };
    let (device, viewer) = (with_token("device"), with_token("viewer"));
    assert_eq!(device.post("/api/v1/readings", &reading).status, 200);
    assert_eq!(device.get("/api/v1/stations").status, 403);
    assert_eq!(viewer.get("/api/v1/stations").status, 200);
    assert_eq!(viewer.post("/api/v1/readings", &reading).status, 403);
    assert_eq!(viewer.get("/api/v1/tokens").status, 403);
    assert_eq!(
        viewer
            .request("PUT", "/api/v1/rules", &[], r#"{"rules":[]}"#)
            .status,
        403
    );
    assert_eq!(
        site.client
            .request("DELETE", "/api/v1/tokens/1", &[], "")
            .status,
        200
    );
    assert_eq!(device.post("/api/v1/readings", &reading).status, 401);
}

#[test]
fn another_sites_page_cannot_act_in_a_users_name() {
    let site = Site::start();
    let reading = message("3f9a01c2", 1, 0, NOON, 1.0).to_string();
    let own = site.client.base.clone();
    for (header, value, status) in [
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
        ("origin", own.as_str(), 200),
        ("sec-fetch-site", "same-origin", 200),
    ] {
        let answer = site
            .client
            .request("POST", "/api/v1/readings", &[(header, value)], &reading);
        assert_eq!(answer.status, status, "{header}: {value}");
    }
    let page = site.client.get("/");
    assert_eq!(page.status, 200);
    let policy = page.headers["content-security-policy"]
        .to_str()
        .expect("text");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
}

#[test]
fn who_listens_hears_each_reading_and_goes_on_where_it_was() {
    use std::io::{BufRead, BufReader, Write};
    let site = Site::start();
    let listen = |last: Option<&str>| {
        let address = site.client.base.trim_start_matches("http://").to_string();
        let mut stream = std::net::TcpStream::connect(address).expect("connects");
        let cookie = site.client.cookie.clone().expect("logged in");
        let last = last.map_or(String::new(), |id| format!("Last-Event-ID: {id}\r\n"));
        let request = format!(
            "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n{last}\r\n"
        );
        stream.write_all(request.as_bytes()).expect("asks");
        let mut lines = BufReader::new(stream)
            .lines()
            .map(|line| line.expect("a line"));
        assert!(lines.next().expect("a status").contains("200"));
        assert!(lines.any(|line| line.is_empty()), "a head");
        lines
    };
    let field = |mut lines: &mut dyn Iterator<Item = String>, name: &str| -> String {
        let prefix = format!("{name}: ");
        let found = (&mut lines)
            .find(|line| line.starts_with(&prefix))
            .expect("a field");
        found[prefix.len()..].to_string()
    };
    let mut first = listen(None);
    site.client.send(&[message("3f9a01c2", 1, 0, NOON, 1.0)]);
    let id = field(&mut first, "id");
    assert_eq!(field(&mut first, "event"), "reading");
    let data: Value = serde_json::from_str(&field(&mut first, "data")).expect("JSON");
    assert_eq!(
        (&data["counter"], &data["schema"]),
        (&json!(0), &json!("selo.reading/1"))
    );
    drop(first);
    site.client.send(&[message("3f9a01c2", 1, 1, NOON, 1.0)]);
    let mut again = listen(Some(&id));
    let data: Value = serde_json::from_str(&field(&mut again, "data")).expect("JSON");
    assert_eq!(data["counter"], 1);
    let mut stranger = listen(Some("0-1"));
    assert_eq!(field(&mut stranger, "event"), "resync");
}

#[test]
fn what_is_no_reading_is_kept_aside_and_holds_up_nothing() {
    let site = Site::start();
    let good = message("3f9a01c2", 1, 0, NOON, 1.0);
    let mut bad = vec![json!({}), json!(7), json!("x")];
    for (field, value) in [
        ("schema", json!("selo.reading/2")),
        ("device", json!("../etc")),
        ("session", json!("12")),
        ("counter", json!(-1)),
        ("counter", json!(4_294_967_296_u64)),
        ("received", json!("yesterday")),
        ("payload", json!("xyz")),
        ("name", json!("a\u{0}b")),
        ("values", json!({"a b": {"value": 1}})),
        ("values", json!({"a": {"value": "1"}})),
    ] {
        let mut message = good.clone();
        message[field] = value;
        bad.push(message);
    }
    let count = bad.len();
    bad.push(good);
    let results = site.client.send(&bad);
    assert_eq!(results[..count], vec!["rejected"; count]);
    assert_eq!(results[count], "stored");
    let lines = "not JSON\n".repeat(2);
    let answer = site.client.post("/api/v1/readings", &lines).ok();
    assert_eq!(answer["results"].as_array().expect("a list").len(), 2);
    let metrics = site.client.get("/metrics").text;
    let line = format!("selo_collector_readings_rejected_total {}\n", count + 2);
    assert!(metrics.contains(&line), "{metrics}");
}

#[test]
fn an_export_has_every_reading_once_in_order_whatever_its_pages() {
    let site = Site::start();
    let all: Vec<Value> = (0..2500_u32)
        // Many readings with the same time, across page boundaries.
        .map(|n| message("3f9a01c2", 1, n, NOON - 1000 + i64::from(n / 700), 0.0))
        .chain((0..3).map(|n| message("00000001", 1, n, NOON, 0.0)))
        .collect();
    site.client.send(&all);
    let json = site.client.get("/api/v1/export?format=json").text;
    let counters: Vec<u64> = json
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|line| line["counter"].as_u64().expect("a number"))
        .collect();
    let expected: Vec<u64> = (0..3).chain(0..2500).collect();
    assert_eq!(counters, expected);
    let one = site.client.get("/api/v1/export?device=00000001").text;
    assert_eq!(one.lines().count(), 4);
}

#[test]
fn a_page_asks_for_the_changed_stations_alone() {
    let site = Site::start();
    let all: Vec<_> = (0..5)
        .map(|number| message(&format!("s{number}"), 1, 0, NOON, 1.0))
        .collect();
    site.client.send(&all);
    let ids = |query: &str| -> Vec<String> {
        let got = site.client.get(&format!("/api/v1/stations{query}")).ok();
        let list = got["stations"].as_array().expect("a list").clone();
        list.iter()
            .map(|one| one["device"].as_str().expect("text").to_string())
            .collect()
    };
    assert_eq!(ids("").len(), 5);
    assert_eq!(ids("?stations=site:s3,site:none,site:s1"), ["s1", "s3"]);
    // A station with an alarm has its own alarms alone.
    let rules = serde_json::json!({"rules": [{"name": "cold", "kind": "value", "when": "under",
        "value": "temperature", "limit": 5.0, "clear": 6.0}]});
    let put = site
        .client
        .request("PUT", "/api/v1/rules", &[], &rules.to_string());
    put.ok();
    let got = site.client.get("/api/v1/stations?stations=site:s3").ok();
    let alarms = got["stations"][0]["alarms"].as_array().expect("a list");
    assert_eq!(alarms.len(), 1);
    assert!(ids("?stations=").is_empty());
    let many = vec!["site:s1"; 101].join(",");
    let refused = site
        .client
        .get(&format!("/api/v1/stations?stations={many}"));
    assert_eq!(refused.status, 400, "{}", refused.text);
}

#[test]
fn the_overview_has_pages_in_an_order_and_a_search() {
    on_each_database(pages_in_an_order);
}

fn pages_in_an_order(site: Site) {
    let all: Vec<_> = (0..12)
        .map(|number| message(&format!("s{number}"), 1, 0, NOON, f64::from(number)))
        .collect();
    site.client.send(&all);
    let page = |query: &str| {
        let got = site.client.get(&format!("/api/v1/overview{query}")).ok();
        let list = got["stations"].as_array().expect("a list").clone();
        let device = |one: &serde_json::Value| one["device"].as_str().expect("text").to_string();
        (list.iter().map(device).collect::<Vec<_>>(), got)
    };
    let (first, got) = page("?order=name&limit=3");
    assert_eq!(first, ["s0", "s1", "s2"]);
    assert_eq!((&got["all"], &got["found"]), (&12.into(), &12.into()));
    assert_eq!(page("?order=name&limit=3&from=9").0, ["s9", "s10", "s11"]);
    assert!(page("?from=12").0.is_empty());
    let (found, got) = page("?order=name&search=%20S1");
    assert_eq!(found, ["s1", "s10", "s11"]);
    assert_eq!((&got["all"], &got["found"]), (&12.into(), &3.into()));
    // A station with an alarm comes first.
    let rules = serde_json::json!({"rules": [{"name": "low", "kind": "value", "when": "under",
        "device": "s7", "value": "temperature", "limit": 99.0, "clear": 99.5}]});
    let rules = rules.to_string();
    site.client
        .request("PUT", "/api/v1/rules", &[], &rules)
        .ok();
    assert_eq!(page("?limit=1").0, ["s7"]);
    for wrong in ["?limit=0", "?limit=101", "?order=size", "?from=-1"] {
        let refused = site.client.get(&format!("/api/v1/overview{wrong}"));
        assert_eq!(refused.status, 400, "{wrong}");
    }
    let names = site.client.get("/api/v1/names").ok();
    assert_eq!(names["stations"].as_array().expect("a list").len(), 12);
    assert_eq!(names["stations"][0][2], "s0");
    // The map has the same alarm, and the value that was asked for.
    let path = "/api/v1/map/stations?show=temperature&stations=site:s7,site:none";
    let got = site.client.get(path).ok();
    assert_eq!(got["stations"].as_array().expect("a list").len(), 1);
    assert_eq!(got["stations"][0]["alarms"][0]["alarm"], "low");
    assert_eq!(got["stations"][0]["value"]["unit"], "Cel");
}

#[test]
fn the_rain_of_a_day_is_that_of_its_minutes() {
    on_each_database(|site| {
        const MINUTE: i64 = 60_000;
        // A reading in 7 minutes, each 0.2 mm more.
        let times: Vec<i64> = (0..260).map(|at| NOON - (260 - at) * 7 * MINUTE).collect();
        let all: Vec<_> = (0u32..)
            .zip(&times)
            .map(|(counter, at)| message("3f9a01c2", 1, counter, *at, f64::from(counter) * 0.2))
            .collect();
        site.client.send(&all);
        let minutes: Vec<i64> = times
            .iter()
            .skip(1)
            .map(|at| at / MINUTE * MINUTE)
            .collect();
        for later in [
            -43 * MINUTE,
            -1,
            0,
            1,
            MINUTE,
            17 * MINUTE - 1,
            60 * MINUTE,
            427 * MINUTE,
        ] {
            let now = NOON + later;
            site.now.store(now, std::sync::atomic::Ordering::Relaxed);
            let within = |at: &&i64| **at > now - 1440 * MINUTE && **at <= now;
            let wanted = minutes.iter().filter(within).count() as f64 * 0.2;
            let got = site.client.get("/api/v1/stations").ok();
            let day = got["stations"][0]["rain"]["day"].as_f64().expect("rain");
            assert!(
                (day - wanted).abs() < 1e-6,
                "{day} is not {wanted}, {later} ms later"
            );
            let path = "/api/v1/map/stations?show=rain.day";
            let marker = &site.client.get(path).ok()["stations"][0];
            assert_eq!(marker["value"]["value"], day);
        }
    });
}

#[test]
fn a_browser_that_has_a_file_does_not_get_it_again() {
    let site = Site::start();
    let first = site.client.get("/style.css");
    let tag = first.headers["etag"].to_str().expect("text").to_string();
    let again = |tag: &str| {
        let known = [("if-none-match", tag)];
        site.client.request("GET", "/style.css", &known, "")
    };
    let same = again(&format!("\"other\", {tag}"));
    assert_eq!((same.status, same.text.as_str()), (304, ""));
    assert!(same.headers.contains_key("content-security-policy"));
    assert_eq!(again("\"other\"").text, first.text);
}
