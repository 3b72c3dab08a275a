//! A server whose users have credentials: a JWT that an account has signed, and a seed.

use nkeys::KeyPair;
use serde_json::{Value, json};

use super::Net;
use super::refused::secret;
use super::server::Nats;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;

/// Claims about a key, signed by another one.
fn token(by: &KeyPair, of: &KeyPair, name: &str, claims: &Value) -> String {
    let head = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let body = json!({
        "jti": name, "iat": 1_700_000_000, "iss": by.public_key(), "name": name,
        "sub": of.public_key(), "nats": claims
    });
    let text = [head, body]
        .map(|part| BASE64.encode(part.to_string()))
        .join(".");
    let signature = by.sign(text.as_bytes()).expect("signs");
    format!("{text}.{}", BASE64.encode(signature))
}

fn account(disk: i64) -> Value {
    json!({
        "type": "account", "version": 2,
        "limits": {
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
            "wildcards": true, "conn": -1, "leaf": -1, "mem_storage": disk,
            "disk_storage": disk, "streams": -1, "consumer": -1
        },
        "default_permissions": {"pub": {}, "sub": {}}
    })
}

#[test]
fn a_user_with_credentials_is_served_and_a_file_without_any_is_named() {
    let (operator, system) = (KeyPair::new_operator(), KeyPair::new_account());
    let (farm, user) = (KeyPair::new_account(), KeyPair::new_user());
    let claims = json!({
        "type": "operator", "version": 2, "system_account": system.public_key()
    });
    let config = format!(
        "operator: {}\nresolver: MEMORY\nsystem_account: {}\nresolver_preload: {{ {}: {}, {}: {} }}",
        token(&operator, &operator, "operator", &claims),
        system.public_key(),
        system.public_key(),
        token(&operator, &system, "system", &account(0)),
        farm.public_key(),
        token(&operator, &farm, "farm", &account(-1)),
    );
    let Some(nats) = Nats::configured(&config) else {
        return;
    };
    let claims = json!({
        "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        "pub": {}, "sub": {}
    });
    let credentials = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        token(&farm, &user, "user", &claims),
        user.seed().expect("a seed"),
    );
    let mut net = Net::new(nats, None);
    let path = secret(&net.site, "farm.creds", &credentials);
    for options in &mut net.options {
        options.extend(["--stream-credentials".to_owned(), path.clone()]);
    }
    net.add_collector();
    net.start_gateway();
    net.join();
    net.deliver(3);
    net.is_complete();
    let url = net.nats.url();
    let nothing = secret(&net.site, "nothing.creds", "nothing\n");
    for (path, words) in [
        (&*nothing, "not the credentials of a NATS user"),
        ("/nowhere/farm.creds", "No such file"),
    ] {
        let start = ["gateway", "--stream", &url, "--stream-credentials", path];
        let answer = net.site.selo(&start);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(
            answer.stderr.contains(words) && answer.stderr.contains("nsc generate creds"),
            "{answer:?}"
        );
    }
}
