//! Tests of logins, sessions, tokens and the user file.

use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;

use base64::Engine;

use super::*;

fn auth() -> (tempfile::TempDir, Arc<Auth>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let users = Users::open(&folder.path().join("state")).expect("opens");
    let file = users
        .first()
        .expect("works")
        .expect("the file of the first start");
    assert_eq!(
        std::fs::metadata(&file).expect("there").mode() & 0o777,
        0o600
    );
    let password = std::fs::read_to_string(file).expect("readable");
    assert!(users.first().expect("works").is_none());
    let auth = Arc::new(Auth::new(users).expect("works"));
    (folder, auth, password.trim().into())
}

#[test]
fn the_first_password_ends_however_it_is_replaced() {
    type Change = fn(&Users) -> crate::error::Result<()>;
    let changes: [Change; 3] = [
        |users| users.set("admin", Role::Admin, "correct horse"),
        |users| users.change("admin", None, Some("correct horse")),
        |users| users.remove("admin"),
    ];
    for change in changes {
        let folder = tempfile::tempdir().expect("a folder");
        let users = Users::open(&folder.path().join("state")).expect("opens");
        users.first().expect("works");
        users
            .set("ana", Role::Viewer, "correct horse")
            .expect("works");
        assert!(
            users.first_password().is_some(),
            "not ended by another user"
        );
        change(&users).expect("works");
        assert!(users.first_password().is_none());
    }
}

#[test]
fn a_first_password_that_is_not_valid_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let users = Users::open(&folder.path().join("state")).expect("opens");
    let file = users.first().expect("works").expect("a first start");
    let kept = std::fs::read(&users.path).expect("readable");
    // Nothing proves that it is wrong.
    std::fs::remove_file(&users.path).expect("removed");
    assert!(users.first_password().is_none() && file.exists());
    std::fs::write(&users.path, "no line\n").expect("written");
    assert!(users.first_password().is_none() && file.exists());
    std::fs::write(&users.path, kept).expect("written");
    assert!(users.first_password().is_some());
    // A user file from a backup has another hash.
    let hash = hash_password("correct horse").expect("a hash");
    std::fs::write(&users.path, format!("admin:admin:{hash}\n")).expect("written");
    assert!(users.first_password().is_none());
    assert!(!file.exists());
}

#[test]
fn a_confirmed_password_begins_no_session() {
    let (_folder, auth, password) = auth();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let confirm = |password: &str| {
        let place = auth.place((HOME, false), "admin", None, 0);
        let password = Zeroizing::new(password.to_owned());
        runtime.block_on(auth.confirm((HOME, place), "admin".into(), password, 0))
    };
    confirm(&password).expect("right");
    assert!(matches!(confirm("wrong"), Err(Refusal::Wrong)));
    assert!(lock(&auth.sessions).is_empty());
}

const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

fn log_in(
    auth: &Arc<Auth>,
    place: Origin,
    name: &str,
    password: &str,
    now: i64,
) -> Result<Login, Refusal> {
    let password = Zeroizing::new(password.to_owned());
    let login = auth.login((HOME, place), name.into(), password, now);
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
        .block_on(login)
}

#[test]
fn a_session_lasts_until_its_user_changes_or_its_time_is_over() {
    let (_folder, auth, password) = auth();
    let login = log_in(&auth, AT_HOME, "admin", &password, 0).expect("right");
    assert_eq!(login.role, Role::Admin);
    let secret = login.secret;
    let caller = auth
        .still(&Proof::of_session(&secret), 1)
        .expect("logged in");
    assert_eq!((caller.name.as_str(), caller.role), ("admin", Role::Admin));
    assert!(
        auth.still(&Proof::of_session(&secret), SESSION_MS)
            .is_none()
    );
    auth.users
        .set("admin", Role::Viewer, "another password")
        .expect("set");
    let changes = auth.changes();
    auth.refresh().expect("readable");
    assert!(changes.has_changed().expect("open"));
    assert!(auth.still(&Proof::of_session(&secret), 1).is_none());
    let Login { secret, role, .. } =
        log_in(&auth, AT_HOME, "admin", "another password", 0).expect("right");
    assert_eq!(role, Role::Viewer);
    auth.logout(&secret);
    assert!(auth.still(&Proof::of_session(&secret), 1).is_none());
}

const AT_HOME: Origin = Origin::Address(HOME);

#[test]
fn who_guesses_has_to_wait_and_nobody_else() {
    let (_folder, auth, password) = auth();
    let cookie = auth.browser_cookie("admin", 0).expect("made");
    for _ in 0..FAILURES_MAX {
        let refusal = log_in(&auth, AT_HOME, "admin", "wrong", 0).expect_err("wrong");
        assert!(matches!(refusal, Refusal::Wrong));
    }
    let refusal = log_in(&auth, AT_HOME, "admin", &password, 1).expect_err("waits");
    assert!(matches!(refusal, Refusal::TooMany));
    let other = Origin::Address("192.0.2.1".parse().expect("an address"));
    log_in(&auth, other, "admin", &password, 1).expect("another address");
    let browser = auth.place((HOME, true), "admin", Some(&cookie), 1);
    assert!(matches!(browser, Origin::Browser(_)));
    log_in(&auth, browser, "admin", &password, 1).expect("a browser that is known");
    log_in(&auth, AT_HOME, "admin", &password, FAILURES_MS).expect("later");
}

#[test]
fn a_browsers_cookie_is_for_its_account_its_time_and_this_server() {
    let (_folder, auth, _) = auth();
    let (_other_folder, other, _) = self::auth();
    let cookie = auth.browser_cookie("admin", 0).expect("made");
    let is_known = |auth: &Auth, account: &str, cookie: &str, now: i64| {
        let place = auth.place((HOME, false), account, Some(cookie), now);
        matches!(place, Origin::Browser(_))
    };
    assert!(is_known(&auth, "admin", &cookie, 1));
    assert!(!is_known(&auth, "maria", &cookie, 1));
    assert!(!is_known(&auth, "admin", &cookie, BROWSER_MS));
    assert!(!is_known(&other, "admin", &cookie, 1));
    let mut bytes = URL_SAFE_NO_PAD.decode(&cookie).expect("base64");
    for at in 0..bytes.len() {
        bytes[at] ^= 1;
        assert!(!is_known(
            &auth,
            "admin",
            &URL_SAFE_NO_PAD.encode(&bytes),
            1
        ));
        assert!(!is_known(
            &auth,
            "admin",
            &URL_SAFE_NO_PAD.encode(&bytes[..at]),
            1
        ));
        bytes[at] ^= 1;
    }
}

#[test]
fn a_user_has_so_many_sessions_and_the_oldest_makes_room() {
    let (_folder, auth, _) = auth();
    let session = |number: u8, user: &str| Session {
        id: [number; 32],
        user: user.into(),
        stamp: [0; 32],
        expires: i64::from(number) + 10,
    };
    assert!(auth.begin(session(200, "maria"), 0).is_empty());
    for number in 0..SESSIONS_OF_USER {
        assert!(auth.begin(session(number as u8, "admin"), 0).is_empty());
    }
    assert_eq!(auth.begin(session(100, "admin"), 0), [[0; 32]]);
    assert_eq!(lock(&auth.sessions).len(), SESSIONS_OF_USER + 1);
}

#[test]
fn files_that_others_may_read_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, ..) = auth();
    let state = folder.path().join("state");
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(state.join("users"), open).expect("set");
    let error = Users::open(&state).expect_err("the file is readable by all");
    assert!(error.hint().expect("a hint").starts_with("chmod 600"));
}

#[test]
fn names_and_passwords_have_a_form() {
    let (_folder, auth, _) = auth();
    for (name, password) in [("a:b", "long enough"), ("", "long enough"), ("a", "short")] {
        assert!(auth.users.set(name, Role::Viewer, password).is_err());
    }
    assert!(auth.users.remove("a").is_err());
}

#[test]
fn a_stranger_has_so_many_posts_a_minute() {
    let strangers = Strangers::default();
    let other = "192.0.2.1".parse().expect("an address");
    assert!((0..STRANGER_POSTS).all(|_| strangers.take(HOME, 0)));
    assert!(!strangers.take(HOME, FAILURES_MS - 1));
    assert!(strangers.take(other, FAILURES_MS - 1));
    assert!(strangers.take(HOME, FAILURES_MS));
}

#[test]
fn a_token_is_known_until_it_is_forgotten() {
    let (_folder, auth, _) = auth();
    let (token, hash) = new_token().expect("made");
    assert!(auth.still(&Proof::of_token(&token), 0).is_none());
    let token_of = |role| Token {
        id: 7,
        name: "rain".into(),
        role,
        scope: Arc::new(Scope::kept(None, None, "rain")),
    };
    auth.remember_token(hash, token_of(Role::Device));
    assert_eq!(
        auth.still(&Proof::of_token(&token), 0).expect("known").role,
        Role::Device
    );
    auth.forget_token(7);
    assert!(auth.still(&Proof::of_token(&token), 0).is_none());
}
