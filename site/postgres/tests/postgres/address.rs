//! What the address of a database says about TLS.

use selo_postgres::tls::{Mode, Security};

#[test]
fn what_the_address_says_is_taken_out_of_it() {
    let (rest, security) = Security::of_url(
        "postgres://a@h/d?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fetc%2Fca.pem",
    )
    .expect("an address");
    assert_eq!(rest, "postgres://a@h/d?connect_timeout=3");
    assert_eq!(security.mode, Mode::VerifyFull);
    assert_eq!(security.root, Some("/etc/ca.pem".into()));
    let (rest, security) = Security::of_url("postgres://a@h/d?sslmode=disable").expect("one");
    assert_eq!(
        (rest.as_str(), security.mode),
        ("postgres://a@h/d", Mode::Disable)
    );
    let (_, security) = Security::of_url("postgres://a@h/d").expect("one");
    assert_eq!(security.mode, Mode::Prefer);
    for url in ["postgres://h/d?sslmode=on", "postgres://h/d?sslrootcert=%2"] {
        assert!(Security::of_url(url).is_err(), "{url}");
    }
}

#[test]
fn the_next_host_comes_first() {
    for (url, next) in [
        (
            "postgres://u:a,b@h1:1,h2:2/d?x=1,2",
            "postgres://u:a,b@h2:2,h1:1/d?x=1,2",
        ),
        ("postgresql://h1,h2,h3", "postgresql://h2,h3,h1"),
        (
            "postgresql://%2Frun,%2Ftmp?dbname=d",
            "postgresql://%2Ftmp,%2Frun?dbname=d",
        ),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
    ] {
        assert_eq!(selo_postgres::server::next_host_first(url), next);
    }
}
