//! The public page: only what an admin chose, for anyone, in frames of other sites.

use crate::common::{Client, NOON, Site, message};
use selo_collector::titles::Titles;
use serde_json::{Value, json};

const EVIL: &str = "<script>alert(1)</script>\" onload='x";

fn site_with_stations() -> Site {
    let site = Site::start();
    let mut river = message("river", 1, 0, NOON, 1.0);
    river["name"] = EVIL.into();
    river["values"]["water_level"] = json!({"value": 1.25, "unit": "m"});
    let mut nameless = message("3f9a01c2", 1, 0, NOON, 3.0);
    nameless.as_object_mut().expect("an object").remove("name");
    let secret = message("secret", 1, 0, NOON, 2.0);
    site.client.send(&[river, nameless, secret]);
    site
}

/// A value has the title of its station's codec, in the reader's language; programs get its name.
#[test]
fn values_have_the_titles_of_their_codec() {
    let codecs = selo_codec::Catalogue::built_in().expect("right");
    let site = Site::start_with(|config| config.titles = Titles::of(&codecs));
    let mut roof = message("roof", 1, 0, NOON, 1.0);
    roof["codec"] = "cayenne-lpp".into();
    roof["values"] = json!({
        "humidity_2": {"value": 61.5, "unit": "%"},
        "concentration_3": {"value": 400, "unit": "[ppm]"},
        "new_thing": {"value": 1, "unit": "1"},
    });
    site.client.send(&[roof]);
    assert_eq!(publish(&site, true, &json!(["site:roof"])), 200);
    let anyone = Client::new(&site.client.base);
    let titles = |name: &str| {
        let cayenne = codecs.get("cayenne-lpp").expect("there");
        let mut fields = cayenne.items().flat_map(|(_, _, fields)| fields);
        fields
            .find(|field| field.name == name)
            .expect("there")
            .title
            .clone()
    };
    let (humidity, ppm) = (titles("humidity"), titles("concentration"));
    for (language, [humidity, ppm, figure]) in [
        ("pt", [humidity.pt, ppm.pt, "61,50".into()]),
        ("en", [humidity.en, ppm.en, "61.50".into()]),
    ] {
        let page = anyone.get(&format!("/public?lang={language}")).text;
        for words in [
            format!("{humidity} 2 {figure}\u{a0}%"),
            format!("{ppm} 3 400"),
            "\u{a0}ppm".into(),
            "new thing 1".into(),
        ] {
            assert!(page.contains(&words), "{words}: {page}");
        }
        assert!(!page.contains("cayenne"), "{page}");
    }
    let data = anyone.get("/public.json").ok();
    assert_eq!(data["stations"][0]["values"]["humidity_2"]["value"], 61.5);
    let names = site.client.get("/api/v1/names").ok();
    assert_eq!(names["titles"]["humidity"]["pt-BR"], titles("humidity").pt);
    assert_eq!(names["titles"]["new_thing"], Value::Null);
}

fn publish(site: &Site, enabled: bool, stations: &Value) -> u16 {
    let body = json!({"enabled": enabled, "title": EVIL, "stations": stations}).to_string();
    site.client
        .request("PUT", "/api/v1/public", &[], &body)
        .status
}

#[test]
fn only_chosen_stations_are_public_and_nothing_else_of_them() {
    let site = site_with_stations();
    let anyone = Client::new(&site.client.base);
    for path in ["/public", "/public.json"] {
        assert_eq!(anyone.get(path).status, 404, "{path} is off by default");
    }
    assert_eq!(
        publish(
            &site,
            true,
            &json!(["site:river", "site:none", "site:3f9a01c2"])
        ),
        200
    );
    let page = anyone.request(
        "GET",
        "/public?lang=pt",
        &[("cookie", "selo_session=x")],
        "",
    );
    assert_eq!(page.status, 200);
    assert!(page.text.contains("lang=\"pt-BR\"") && page.text.contains("water level 1,25\u{a0}m"));
    assert!(!page.text.contains("<script") && page.text.contains("&lt;script&gt;"));
    let data = anyone.get("/public.json").ok();
    assert_eq!(data["stations"].as_array().expect("a list").len(), 2);
    assert_eq!(
        data["stations"][1]["name"], "2",
        "a number in place of the id"
    );
    for hidden in [
        "secret", "river", "3f9a01c2", "battery", "north", "latitude", "session", "3.9",
    ] {
        let text = data["stations"].to_string();
        assert!(
            !text.contains(hidden) && !page.text.contains(hidden),
            "{hidden}"
        );
    }
    // Other sites may frame the page, which has no scripts; they may frame nothing else.
    let header = |path: &str, name: &str| {
        let answer = anyone.get(path);
        answer
            .headers
            .get(name)
            .map(|value| value.to_str().expect("text").to_string())
    };
    assert_eq!(header("/public", "x-frame-options"), None);
    let policy = header("/public", "content-security-policy").expect("a policy");
    assert!(policy.contains("frame-ancestors *") && policy.contains("default-src 'none'"));
    assert!(!policy.contains("script-src"));
    assert_eq!(
        header("/public", "cache-control").as_deref(),
        Some("public, max-age=30")
    );
    for path in ["/", "/api/v1/stations", "/healthz"] {
        assert_eq!(
            header(path, "x-frame-options").as_deref(),
            Some("DENY"),
            "{path}"
        );
    }
    assert!(anyone.get("/public").headers.get("set-cookie").is_none());
    assert_eq!(publish(&site, false, &json!(["site:river"])), 200);
    assert_eq!(anyone.get("/public").status, 404, "off at once");
}

#[test]
fn many_visitors_make_one_page() {
    let site = site_with_stations();
    assert_eq!(publish(&site, true, &json!(["site:river"])), 200);
    let anyone = Client::new(&site.client.base);
    let at = || anyone.get("/public.json").ok()["at"].clone();
    let first = at();
    site.pass(20_000);
    assert_eq!(at(), first, "the made page");
    site.pass(11_000);
    let second = at();
    assert_ne!(second, first);
    // Nobody is turned away: a town may look through one address.
    assert!((0..700).all(|_| at() == second));
    // What is no choice is refused.
    let many: Vec<String> = (0..201).map(|number| format!("site:{number}")).collect();
    assert_eq!(publish(&site, true, &json!(many)), 400);
}

#[test]
fn positions_and_batteries_of_channels_are_not_public() {
    let site = Site::start();
    let mut river = message("river", 1, 0, NOON, 1.0);
    for name in ["latitude", "longitude", "altitude", "battery", "time"] {
        river["values"][name] = json!({"value": 12.5, "unit": "1"});
        river["values"][format!("{name}_1")] = json!({"value": 12.5, "unit": "1"});
        river["values"][format!("{name}_12")] = json!({"value": 12.5, "unit": "1"});
    }
    river["values"]["temperature_1"] = json!({"value": 20.5, "unit": "Cel"});
    river["values"]["time_to_flood"] = json!({"value": 3, "unit": "h"});
    site.client.send(&[river]);
    assert_eq!(publish(&site, true, &json!(["site:river"])), 200);
    let data = Client::new(&site.client.base).get("/public.json").ok();
    let values = data["stations"][0]["values"].as_object().expect("values");
    let names: Vec<&str> = values.keys().map(String::as_str).collect();
    assert_eq!(names, ["temperature", "temperature_1", "time_to_flood"]);
}

#[test]
fn a_page_that_cannot_be_made_is_the_old_one_and_is_not_tried_for_each_visitor() {
    let site = site_with_stations();
    assert_eq!(publish(&site, true, &json!(["site:river"])), 200);
    let anyone = Client::new(&site.client.base);
    let first = anyone.get("/public.json").ok()["at"].clone();
    site.script("ALTER TABLE station RENAME TO away");
    site.pass(31_000);
    assert_eq!(anyone.get("/public.json").ok()["at"], first, "the old page");
    // The other language was never made. The failure is kept as long as a page.
    assert_eq!(anyone.get("/public").status, 503);
    site.script("ALTER TABLE away RENAME TO station");
    assert_eq!(anyone.get("/public").status, 503);
    assert_eq!(anyone.get("/public.json").ok()["at"], first);
    site.pass(31_000);
    assert_eq!(anyone.get("/public").status, 200);
    assert_ne!(anyone.get("/public.json").ok()["at"], first);
}
