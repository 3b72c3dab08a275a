//! The ground of the map is bounded, and its tiles cannot widen the security policy.

use crate::common::Site;

const POLICY: &str = "content-security-policy";

#[test]
fn a_ground_is_bounded_and_a_picture_has_its_place() {
    let site = Site::start();
    let put = |query: &str, body: &str| {
        let path = format!("/api/v1/map/ground{query}");
        site.client.request("PUT", &path, &[], body)
    };
    assert_eq!(put("", &"x".repeat((2 << 20) + 1)).status, 413);
    let jpeg = "RIFF....WEBP";
    for wrong in [
        "",
        "?south=1&west=2&north=3",
        "?south=3&west=2&north=1&east=4",
        "?south=-90&west=2&north=1&east=4",
        "?south=NaN&west=2&north=1&east=4",
    ] {
        assert_eq!(put(wrong, jpeg).status, 400, "{wrong}");
    }
    // A sound is a RIFF file too.
    let sound = put("?south=1&west=2&north=3&east=4", "RIFF....WAVEfmt ");
    assert_eq!(sound.status, 400, "{}", sound.text);
    let map = put("?south=1&west=2&north=3&east=4", jpeg).ok();
    assert_eq!(map["ground"]["kind"], "image/webp");
    let answer = site.client.get("/api/v1/map/ground");
    assert_eq!(answer.text, jpeg);
    let tag = answer.headers["etag"].to_str().expect("text").to_string();
    let path = "/api/v1/map/ground";
    let again = site
        .client
        .request("GET", path, &[("if-none-match", &tag)], "");
    assert_eq!((again.status, again.text.len()), (304, 0));
}

#[test]
fn tiles_are_allowed_from_their_server_alone() {
    let mut site = Site::start();
    let set = |site: &Site, tiles: &str| {
        let body = serde_json::json!({ "tiles": tiles }).to_string();
        site.client
            .request("PATCH", "/api/v1/map", &[], &body)
            .status
    };
    let policy = |site: &Site| {
        let answer = site.client.get("/");
        answer.headers[POLICY].to_str().expect("text").to_string()
    };
    assert!(policy(&site).contains("img-src 'self' data:;"));
    for wrong in [
        "https://a.example/{z}/{x}",
        "https://a.example; script-src */{z}/{x}/{y}",
        "https://*/{z}/{x}/{y}",
        "https://a.example\r\nX: y/{z}/{x}/{y}",
        "data:{z}{x}{y}",
        "https:///{z}/{x}/{y}",
    ] {
        assert_eq!(set(&site, wrong), 400, "{wrong}");
    }
    assert_eq!(set(&site, "https://a.example:8443/{z}/{x}/{y}.png"), 200);
    site.restart();
    assert!(policy(&site).contains("img-src 'self' data: https://a.example:8443;"));
    assert_eq!(set(&site, ""), 200);
    assert!(policy(&site).contains("img-src 'self' data:;"));
}

#[test]
fn a_page_over_tls_gets_no_tiles_in_the_clear() {
    for secure in [false, true] {
        let site = Site::start_with(|config| config.behind_proxy = secure);
        let set = |tiles: &str| {
            let body = serde_json::json!({ "tiles": tiles }).to_string();
            let headers = [("x-forwarded-for", "192.0.2.1")];
            let done = site.client.request("PATCH", "/api/v1/map", &headers, &body);
            done.status
        };
        let clear = set("http://tiles.example/{z}/{x}/{y}.png");
        assert_eq!(clear, if secure { 400 } else { 200 });
        assert_eq!(set("https://tiles.example/{z}/{x}/{y}.png"), 200);
    }
}
