//! The API beside its description, `openapi.json`.

use crate::common::{NOON, Site, message};
use serde_json::Value;

/// Checks the subset of JSON Schema that openapi.json uses.
fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().expect("a name");
        let schema = &document["components"]["schemas"][name];
        assert!(schema.is_object(), "{reference} is not there");
        return check(document, schema, value, at);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
        other => panic!("{at}: no type: {other}"),
    };
    let fits = allowed.contains(&kind) || (kind == "integer" && allowed.contains(&"number"));
    assert!(fits, "{at}: {value} is not {allowed:?}");
    if let Some(list) = schema["enum"].as_array() {
        assert!(list.contains(value), "{at}: {value} is not of {list:?}");
    }
    if let Some(items) = value.as_array() {
        for (number, item) in items.iter().enumerate() {
            check(document, &schema["items"], item, &format!("{at}[{number}]"));
        }
    }
    if let Some(object) = value.as_object() {
        for required in schema["required"].as_array().into_iter().flatten() {
            let name = required.as_str().expect("a name");
            assert!(object.contains_key(name), "{at}: {name} is missing");
        }
        for (name, value) in object {
            let at = format!("{at}.{name}");
            let of_name = &schema["properties"][name];
            match &schema["additionalProperties"] {
                _ if of_name.is_object() => check(document, of_name, value, &at),
                Value::Bool(false) => panic!("{at} is not in the document"),
                Value::Null => {}
                more => check(document, more, value, &at),
            }
        }
    }
}

fn document() -> Value {
    serde_json::from_str(selo_collector::http::OPENAPI).expect("JSON")
}

/// Paths and methods of the router, read from its source.
fn routes() -> std::collections::BTreeSet<(String, String)> {
    let source = include_str!("../../../src/http/mod.rs");
    let mut routes = std::collections::BTreeSet::new();
    // Routes after this one stand beside the API.
    let (api, top) = source.split_once(".nest(").expect("the API has a path");
    let api = api.split(".route(").skip(1).map(|piece| ("/api/v1", piece));
    let top = top.split(".route(").skip(1).map(|piece| ("", piece));
    for (prefix, piece) in api.chain(top) {
        let path = piece.split('"').nth(1).expect("a path");
        let path = format!("{prefix}{path}");
        let handlers = &piece[..piece.find("\n        .").unwrap_or(piece.len())];
        for method in ["get", "post", "put", "patch", "delete"] {
            if handlers.contains(&format!("{method}(routes"))
                || handlers.contains(&format!("{method}(export"))
                || handlers.contains(&format!("{method}(events"))
                || handlers.contains(&format!("{method}(posted"))
                || handlers.contains(&format!("{method}(pages"))
                || handlers.contains(&format!("{method}(readings"))
            {
                routes.insert((path.clone(), method.to_string()));
            }
        }
    }
    routes
}

#[test]
fn the_document_has_every_route_and_no_other() {
    let document = document();
    let described = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods");
            methods.keys().map(|method| (path.clone(), method.clone()))
        })
        .collect();
    assert_eq!(routes(), described);
}

/// A collector with two readings of station 3f9a01c2.
fn site_with_readings() -> Site {
    let site = Site::start();
    site.client.send(&[
        message("3f9a01c2", 1, 0, NOON - 60_000, 1.0),
        message("3f9a01c2", 1, 1, NOON, 40.0),
    ]);
    site
}

/// A request of each route: method, route, path and body.
fn requests<'a>(
    rules: &'a str,
    reading: &'a str,
) -> [(&'static str, &'static str, &'static str, &'a str); 40] {
    let token = r#"{"name":"probe","role":"device"}"#;
    let user = r#"{"name":"ana","role":"viewer","password":"correct horse"}"#;
    let ground = r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#;
    let channel = r#"{"name":"duty","kind":"ntfy","topic":"flood-desk","secret":"tk_1",
        "server":"http://127.0.0.1:1","quiet":{"from":"22:00","to":"06:00"}}"#;
    [
        ("get", "/me", "/me", ""),
        ("get", "/stations", "/stations", ""),
        ("get", "/stations/{station}", "/stations/3f9a01c2", ""),
        (
            "patch",
            "/stations/{station}",
            "/stations/3f9a01c2",
            r#"{"name":"Garden","latitude":1.5}"#,
        ),
        (
            "get",
            "/stations/{station}/series",
            "/stations/3f9a01c2/series?name=battery",
            "",
        ),
        (
            "get",
            "/stations/{station}/series",
            "/stations/3f9a01c2/series?name=battery&step=raw",
            "",
        ),
        (
            "get",
            "/stations/{station}/rain",
            "/stations/3f9a01c2/rain",
            "",
        ),
        (
            "get",
            "/stations/{station}/events",
            "/stations/3f9a01c2/events",
            "",
        ),
        ("get", "/sparklines", "/sparklines?name=rain_total", ""),
        ("get", "/names", "/names", ""),
        ("get", "/overview", "/overview?order=rain&search=s", ""),
        ("get", "/frames", "/frames", ""),
        ("get", "/exchange", "/exchange", ""),
        ("get", "/alarms", "/alarms", ""),
        (
            "post",
            "/alarms/{id}/acknowledge",
            "/alarms/1/acknowledge",
            r#"{"name":"Maria","note":"on the way"}"#,
        ),
        ("get", "/journal", "/journal", ""),
        ("post", "/channels", "/channels", channel),
        ("get", "/channels", "/channels", ""),
        (
            "patch",
            "/channels/{id}",
            "/channels/1",
            r#"{"active":false}"#,
        ),
        ("delete", "/channels/{id}", "/channels/1", ""),
        ("get", "/map", "/map", ""),
        ("get", "/map/stations", "/map/stations?show=battery", ""),
        ("put", "/map/ground", "/map/ground", ground),
        ("delete", "/map/ground", "/map/ground", ""),
        ("patch", "/map", "/map", r#"{"tiles":""}"#),
        ("get", "/public", "/public", ""),
        (
            "put",
            "/public",
            "/public",
            r#"{"enabled":true,"title":"Rain"}"#,
        ),
        ("get", "/site", "/site", ""),
        (
            "patch",
            "/site",
            "/site",
            r#"{"name":"Farm","zone":"America/Sao_Paulo"}"#,
        ),
        ("get", "/rules", "/rules", ""),
        ("put", "/rules", "/rules", rules),
        ("post", "/tokens", "/tokens", token),
        ("get", "/tokens", "/tokens", ""),
        (
            "patch",
            "/tokens/{id}",
            "/tokens/1",
            r#"{"stations":["3f9a01c2","*"]}"#,
        ),
        ("delete", "/tokens/{id}", "/tokens/1", ""),
        ("get", "/users", "/users", ""),
        ("post", "/users", "/users", user),
        (
            "patch",
            "/users/{name}",
            "/users/ana",
            r#"{"role":"operator"}"#,
        ),
        ("delete", "/users/{name}", "/users/ana", ""),
        ("post", "/readings", "/readings", reading),
    ]
}

#[test]
fn every_answer_is_what_the_document_says() {
    let (site, document) = (site_with_readings(), document());
    let rules = site.client.get("/api/v1/rules").ok();
    let own = message("3f9a01c2", 1, 2, NOON, 40.0).to_string();
    for (route, more) in [
        ("reading", r#"{"latitude":1.5,"longitude":2,"speed":0}"#),
        (
            "handshake",
            r#"{"suite":"TLS_AES_128_GCM_SHA256","group":"x25519","resumed":false,"seconds":0.1}"#,
        ),
    ] {
        let answer = site.client.post(&format!("/api/v1/exchange/{route}"), more);
        assert_eq!(answer.status, 204, "{}", answer.text);
    }
    for (method, route, path, body) in requests(&rules.to_string(), &own) {
        let answer =
            site.client
                .request(&method.to_uppercase(), &format!("/api/v1{path}"), &[], body);
        let responses = &document["paths"][format!("/api/v1{route}")][method]["responses"];
        let schema = &responses[answer.status.to_string()]["content"]["application/json"]["schema"];
        assert!(
            schema.is_object(),
            "{method} {path}: {} {}",
            answer.status,
            answer.text
        );
        check(&document, schema, &answer.json(), path);
    }
    let body = r#"{"enabled":true,"stations":["site:3f9a01c2"]}"#;
    site.client.request("PUT", "/api/v1/public", &[], body).ok();
    let schema = &document["components"]["schemas"]["PublicStations"];
    let public = site.client.get("/public.json").ok();
    check(&document, schema, &public, "/public.json");
    assert_eq!(public["stations"][0]["state"], "online");
}

#[test]
fn every_error_is_what_the_document_says() {
    let (site, document) = (site_with_readings(), document());
    let error = &document["components"]["schemas"]["Error"];
    for (method, path, status) in [
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/nothing", 404),
        ("GET", "/report", 404),
        ("DELETE", "/api/v1/me", 405),
        ("GET", "/api/v1/stations/none", 404),
        ("PATCH", "/api/v1/stations/3f9a01c2", 400),
        ("GET", "/api/v1/stations/3f9a01c2/series?name=none", 404),
        (
            "GET",
            "/api/v1/stations/3f9a01c2/series?name=battery&step=week",
            400,
        ),
        ("GET", "/api/v1/frames?limit=0", 400),
        ("GET", "/api/v1/frames?before=x", 400),
        ("GET", "/api/v1/export?format=xml", 400),
        ("GET", "/api/v1/export?from=yesterday", 400),
        ("POST", "/api/v1/readings", 400),
        ("DELETE", "/api/v1/tokens/99", 404),
        ("GET", "/api/v1/pairing", 501),
    ] {
        let answer = site.client.request(method, path, &[], "");
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
        check(&document, error, &answer.json(), path);
    }
}
