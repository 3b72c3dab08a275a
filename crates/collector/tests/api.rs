//! The API, over real HTTP.

mod common;

use common::{NOON, Site, message};
use serde_json::json;

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
            "3f9a01c2,0000000000000001,0,2026-11-21T11:57:00.000Z,north,-90,true,00112233,3.9,10,0"
        )
    );
    assert_eq!(csv.lines().count(), 4);
}
