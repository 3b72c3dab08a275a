//! Which role may do what with alarms and channels.

use serde_json::json;

use super::{add, hot, ntfy, raise, set_rules};
use crate::common::{Client, Site};

/// A client with a token of a role.
fn with_role(site: &Site, role: &str) -> Client {
    let body = json!({"name": role, "role": role}).to_string();
    let answer = site.client.post("/api/v1/tokens", &body);
    assert_eq!(answer.status, 201, "{}", answer.text);
    let mut client = site.client.clone();
    client.cookie = None;
    client.token = answer.json()["token"].as_str().map(str::to_string);
    client
}

#[test]
fn each_role_may_do_its_own_and_no_more() {
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(&site, &ntfy("http://127.0.0.1:1", &json!({})));
    raise(&site, 1);
    let alarm = site.client.get("/api/v1/alarms").ok()["active"][0]["id"].clone();
    let acknowledge = format!("alarms/{alarm}/acknowledge");
    let (one, test) = (format!("channels/{id}"), format!("channels/{id}/test"));
    let admin_only = [
        ("GET", "channels", ""),
        ("POST", "channels", "{}"),
        ("PATCH", one.as_str(), "{}"),
        ("DELETE", one.as_str(), ""),
        ("POST", test.as_str(), "{}"),
        ("PATCH", "site", "{}"),
        ("PUT", "rules", r#"{"rules":[]}"#),
        ("GET", "tokens", ""),
        ("GET", "public", ""),
        ("PUT", "public", r#"{"enabled":true}"#),
    ];
    let roles = ["device", "viewer", "operator"].map(|role| (role, with_role(&site, role)));
    for (role, client) in &roles {
        for (method, path, body) in admin_only {
            let answer = client.request(method, &format!("/api/v1/{path}"), &[], body);
            assert_eq!(
                answer.status, 403,
                "{role} {method} {path}: {}",
                answer.text
            );
        }
        let reads = if *role == "device" { 403 } else { 200 };
        for path in ["alarms", "journal", "site"] {
            assert_eq!(
                client.get(&format!("/api/v1/{path}")).status,
                reads,
                "{role} {path}"
            );
        }
        let acts = if *role == "operator" { 200 } else { 403 };
        let answer = client.post(&format!("/api/v1/{acknowledge}"), "{}");
        assert_eq!(answer.status, acts, "{role}: {}", answer.text);
        let station = "/api/v1/stations/3f9a01c2";
        let answer = client.request("PATCH", station, &[], r#"{"latitude":-23.2}"#);
        assert_eq!(answer.status, acts, "{role}: {}", answer.text);
        let sends = if *role == "device" { 200 } else { 403 };
        let own = crate::common::message("device", 1, 0, crate::common::NOON, 0.0).to_string();
        assert_eq!(
            client.post("/api/v1/readings", &own).status,
            sends,
            "{role}"
        );
    }
    assert_eq!(super::shown(&site, id)["active"], true);
    // A token of an admin reads, and makes the collector call no address.
    let token = with_role(&site, "admin");
    assert_eq!(token.get("/api/v1/channels").status, 200);
    for (method, path, body) in &admin_only[1..5] {
        let answer = token.request(method, &format!("/api/v1/{path}"), &[], body);
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
    }
    let nobody = Client::new(&site.client.base);
    for (method, path, body) in admin_only {
        assert_eq!(
            nobody
                .request(method, &format!("/api/v1/{path}"), &[], body)
                .status,
            401
        );
    }
}
