//! Users on the page: who may change them, and guests with a valid password as hostile clients.

use crate::common::{Client, Site};
use serde_json::json;

const PASSWORD: &str = "correct horse battery";

/// A client that is logged in as a new user with a role.
fn person(site: &Site, name: &str, role: &str) -> Client {
    let body = json!({"name": name, "role": role, "password": PASSWORD}).to_string();
    let answer = site.client.post("/api/v1/users", &body);
    assert_eq!(answer.status, 201, "{}", answer.text);
    let mut client = Client::new(&site.client.base);
    log_in(&mut client, name, PASSWORD).expect("logs in");
    client
}

fn log_in(client: &mut Client, name: &str, password: &str) -> Result<(), u16> {
    let body = json!({"user": name, "password": password}).to_string();
    let answer = client.post("/api/v1/login", &body);
    if answer.status != 200 {
        return Err(answer.status);
    }
    let cookie = answer.headers["set-cookie"].to_str().expect("text");
    client.cookie = cookie.split(';').next().map(str::to_string);
    Ok(())
}

#[test]
fn a_guest_changes_nothing_with_a_valid_password() {
    let site = Site::start();
    let guest = person(&site, "guest", "viewer");
    let operator = person(&site, "operator", "operator");
    let own = r#"{"role":"admin"}"#;
    let other = json!({"name": "eve", "role": "admin", "password": PASSWORD}).to_string();
    for client in [&guest, &operator] {
        for (method, path, body) in [
            ("GET", "users", ""),
            ("POST", "users", other.as_str()),
            ("PATCH", "users/guest", own),
            ("PATCH", "users/operator", own),
            ("PATCH", "users/admin", r#"{"password":"now it is mine"}"#),
            ("DELETE", "users/admin", ""),
            ("GET", "tokens", ""),
            ("POST", "tokens", r#"{"name":"mine","role":"admin"}"#),
            ("PATCH", "tokens/1", r#"{"role":"admin"}"#),
            ("DELETE", "tokens/1", ""),
            ("GET", "channels", ""),
            ("PATCH", "site", r#"{"name":"mine"}"#),
            ("PUT", "rules", r#"{"rules":[]}"#),
            ("PUT", "map/ground", "{}"),
            ("GET", "devices", ""),
            ("PATCH", "devices/3f9a01c2", r#"{"revoked":true}"#),
            ("GET", "devices/3f9a01c2/qr.svg", ""),
            ("POST", "pairing", r#"{"action":"open"}"#),
            ("POST", "readings", "[]"),
        ] {
            let answer = client.request(method, &format!("/api/v1/{path}"), &[], body);
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
        }
    }
    let users = site.client.get("/api/v1/users").ok();
    let names: Vec<&str> = users["users"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|user| user["name"].as_str().expect("text"))
        .collect();
    assert_eq!(names, ["admin", "guest", "operator"]);
}

#[test]
fn a_token_of_an_admin_makes_itself_no_account() {
    let site = Site::start();
    let made = site
        .client
        .post("/api/v1/tokens", r#"{"name":"probe","role":"admin"}"#)
        .json();
    let mut token = Client::new(&site.client.base);
    token.token = made["token"].as_str().map(str::to_string);
    let body = json!({"name": "eve", "role": "admin", "password": PASSWORD}).to_string();
    assert_eq!(token.post("/api/v1/users", &body).status, 403);
    let path = "/api/v1/users/admin";
    assert_eq!(
        token
            .request("PATCH", path, &[], r#"{"password":"now it is mine"}"#)
            .status,
        403
    );
    assert_eq!(token.request("DELETE", path, &[], "").status, 403);
    let own = r#"{"old":"a","new":"now it is mine"}"#;
    assert_eq!(token.post("/api/v1/me/password", own).status, 403);
}

#[test]
fn a_role_and_a_password_change_at_once() {
    let site = Site::start();
    let ana = person(&site, "ana", "operator");
    let change = |body: &str| {
        site.client
            .request("PATCH", "/api/v1/users/ana", &[], body)
            .status
    };
    assert_eq!(ana.get("/api/v1/me").ok()["role"], "operator");
    assert_eq!(change(r#"{"role":"viewer"}"#), 200);
    assert_eq!(ana.get("/api/v1/me").ok()["role"], "viewer");
    for (wrong, status) in [
        (r#"{"role":"device"}"#, 400),
        (r#"{"password":"short"}"#, 400),
        (r#"{"name":"eve"}"#, 400),
    ] {
        assert_eq!(change(wrong), status, "{wrong}");
    }
    assert_eq!(change(r#"{"password":"another long one"}"#), 200);
    assert_eq!(ana.get("/api/v1/me").status, 401, "the session has ended");
    let mut again = Client::new(&site.client.base);
    assert_eq!(log_in(&mut again, "ana", PASSWORD), Err(401));
    log_in(&mut again, "ana", "another long one").expect("logs in");
    assert_eq!(
        site.client
            .request("DELETE", "/api/v1/users/ana", &[], "")
            .status,
        200
    );
    assert_eq!(again.get("/api/v1/me").status, 401);
    // Somebody must be able to change things.
    let admin = "/api/v1/users/admin";
    assert_eq!(site.client.request("DELETE", admin, &[], "").status, 400);
    assert_eq!(
        site.client
            .request("PATCH", admin, &[], r#"{"role":"viewer"}"#)
            .status,
        400
    );
    for name in ["admin", "a:b", "", "a\nb:admin:x"] {
        let body = json!({"name": name, "role": "admin", "password": PASSWORD}).to_string();
        assert_eq!(
            site.client.post("/api/v1/users", &body).status,
            400,
            "{name}"
        );
    }
}

#[test]
fn ones_own_password_needs_the_old_one() {
    let site = Site::start();
    let ana = person(&site, "ana", "viewer");
    let change = |old: &str, new: &str| {
        let body = json!({"old": old, "new": new}).to_string();
        ana.post("/api/v1/me/password", &body).status
    };
    assert_eq!(change("wrong", "another long one"), 401);
    assert_eq!(change(PASSWORD, "short"), 400);
    assert_eq!(change(PASSWORD, "another long one"), 200);
    assert_eq!(ana.get("/api/v1/me").status, 401);
    // Whoever has a session cannot guess the password with it.
    let guest = person(&site, "guest", "viewer");
    let body = json!({"old": "wrong", "new": "another long one"}).to_string();
    let tries: Vec<u16> = (0..8)
        .map(|_| guest.post("/api/v1/me/password", &body).status)
        .collect();
    assert_eq!(tries[7], 429, "{tries:?}");
}
