//! Users, tokens and logins of collectors that share a database: any collector answers.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use selo_collector::auth::TRUST;
use serde_json::{Value, json};

use super::Net;
use super::page::{PASSWORD, Page};
use super::server::Nats;
use crate::gateway_support::Site;
use crate::postgres::Cluster;

/// Two collectors without a gateway.
fn two() -> Option<Net> {
    let mut net = Net::new(Nats::start()?, Some(Cluster::start()?));
    net.add_collector();
    net.add_collector();
    Some(net)
}

fn user(name: &str, role: &str) -> Value {
    json!({"name": name, "role": role, "password": PASSWORD})
}

fn add(page: &Page, name: &str, role: &str) {
    let (status, body) = page.ask("POST", "users", &user(name, role));
    assert_eq!(status, 201, "{body}");
}

fn names(page: &Page) -> Vec<String> {
    let (status, body) = page.get("users");
    assert_eq!(status, 200, "{body}");
    let users = body["users"].as_array().expect("a list");
    let name = |user: &Value| user["name"].as_str().expect("a name").to_owned();
    users.iter().map(name).collect()
}

#[test]
fn users_tokens_and_logins_hold_at_every_collector() {
    let Some(net) = two() else { return };
    let (one, other) = (net.page(0), net.page(1));
    let admin = net.admin(0);
    // No collector waits to learn of a login, a user or a token.
    assert_eq!(admin.at(&other).me(), Ok("admin".into()));
    add(&admin.at(&other), "maria", "viewer");
    assert_eq!(names(&admin), ["admin", "maria"]);
    let maria = one.logged_in("maria", PASSWORD).expect("logs in");
    assert_eq!(maria.at(&other).me(), Ok("maria".into()));
    let asked = json!({"name": "probe", "role": "viewer"});
    let (status, made) = admin.ask("POST", "tokens", &asked);
    assert_eq!(status, 201, "{made}");
    let token = one.with_token(&made["token"]);
    assert_eq!(token.at(&other).me(), Ok("probe".into()));

    // A guest gains nothing at the other collector.
    for page in [&maria, &maria.at(&other), &token, &token.at(&other)] {
        assert_eq!(page.ask("POST", "users", &user("eve", "admin")).0, 403);
        let own = json!({"role": "admin"});
        assert_eq!(page.ask("PATCH", "users/maria", &own).0, 403);
        assert_eq!(page.get("tokens").0, 403);
    }

    // What ends at one ends at the other.
    let path = format!("tokens/{}", made["id"]);
    assert_eq!(admin.at(&other).ask("DELETE", &path, &Value::Null).0, 200);
    token.waits_for(401, &net);
    assert_eq!(maria.at(&other).ask("POST", "logout", &Value::Null).0, 200);
    maria.waits_for(401, &net);
    let maria = other.logged_in("maria", PASSWORD).expect("logs in");
    let changed = json!({"password": "another good one"});
    assert_eq!(admin.ask("PATCH", "users/maria", &changed).0, 200);
    // The old password is not valid from now on, at any collector.
    assert_eq!(other.logged_in("maria", PASSWORD).err(), Some(401));
    maria.waits_for(401, &net);
    let maria = other
        .logged_in("maria", "another good one")
        .expect("logs in");
    assert_eq!(admin.ask("DELETE", "users/maria", &Value::Null).0, 200);
    assert_eq!(
        other.logged_in("maria", "another good one").err(),
        Some(401)
    );
    maria.waits_for(401, &net);

    // The database has hashes only.
    let secrets = "SELECT count(*) FROM person WHERE hash NOT LIKE '$argon2id$%'";
    assert_eq!(net.cluster.as_ref().expect("runs").psql(secrets), "0");
}

/// Strangers with tokens that nobody knows cost the database few questions.
#[test]
fn many_unknown_tokens_share_a_question() {
    const THREADS: usize = 16;
    const EACH: usize = 40;
    let Some(net) = two() else { return };
    let cluster = net.cluster.as_ref().expect("runs");
    cluster.psql("ALTER SYSTEM SET log_min_duration_statement = 0");
    cluster.psql("SELECT pg_reload_conf()");
    let asked = || {
        let log = std::fs::read_to_string(cluster.log()).expect("a log");
        let question = "SELECT value FROM meta WHERE name = 'access'";
        let lines = log.lines().filter(|line| line.contains("execute"));
        lines.filter(|line| line.contains(question)).count()
    };
    let before = asked();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let page = net.page(0);
            scope.spawn(move || {
                for number in 0..EACH {
                    let page = page.with_token(&json!(format!("selo_{thread}_{number}")));
                    assert_eq!(page.me(), Err(401));
                }
            });
        }
    });
    let asked = asked() - before;
    assert!(asked > 0, "the log has no statements");
    assert!(4 * asked < THREADS * EACH, "{asked} questions");
}

#[test]
fn no_change_at_the_same_time_is_lost() {
    let Some(net) = two() else { return };
    let admin = net.admin(0);
    let pages = [admin.clone(), admin.at(&net.page(1))];
    std::thread::scope(|scope| {
        for (number, page) in pages.iter().enumerate() {
            scope.spawn(move || {
                for count in 0..8 {
                    add(page, &format!("user-{number}-{count}"), "viewer");
                }
            });
        }
    });
    for page in &pages {
        assert_eq!(names(page).len(), 17);
    }
    // Each removes another admin at the same time. One stays.
    add(&admin, "chief", "admin");
    let chief = net.page(1).logged_in("chief", PASSWORD).expect("logs in");
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| admin.ask("DELETE", "users/chief", &Value::Null).0);
        let other = scope.spawn(|| chief.ask("DELETE", "users/admin", &Value::Null).0);
        (one.join().expect("answers"), other.join().expect("answers"))
    });
    let admins = "SELECT count(*) FROM person WHERE role = 'admin'";
    let left = net.cluster.as_ref().expect("runs").psql(admins);
    assert_eq!(left, "1", "{one} {other}");
}

/// Runs `selo collect user` with these options.
fn command(site: &Site, options: &[String], words: &[&str]) -> (bool, String) {
    let mut all = vec!["collect"];
    all.extend(options.iter().map(String::as_str));
    all.push("user");
    all.extend(words);
    let mut child = site
        .command(&all)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut input = child.stdin.take().expect("piped");
    // A refused command may not read it.
    let _ = writeln!(input, "{PASSWORD}");
    drop(input);
    let done = child.wait_with_output().expect("ends");
    let said = [done.stdout, done.stderr].concat();
    (
        done.status.success(),
        String::from_utf8(said).expect("text"),
    )
}

#[test]
fn the_files_of_users_are_taken_over_once() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let Some(nats) = Nats::start() else { return };
    let mut net = Net::new(nats, Some(cluster));
    for roles in [
        [("ana", "viewer"), ("eva", "admin"), ("carla", "viewer")],
        [("ana", "admin"), ("bob", "viewer"), ("carla", "admin")],
    ] {
        let home = Site::new();
        for (name, role) in roles {
            let (good, said) = command(&home, &[], &["add", name, "--role", role]);
            assert!(good, "{said}");
        }
        net.homes.push(home);
        net.collectors.push(None);
    }
    net.start_collector(0);
    let eva = net.page(0).logged_in("eva", PASSWORD).expect("logs in");
    assert_eq!(names(&eva), ["ana", "carla", "eva"]);
    assert_eq!(eva.ask("DELETE", "users/carla", &Value::Null).0, 200);
    // The other collector knows one user more. The one that was removed does not come back, and
    // nobody gets another role.
    net.start_collector(1);
    let eva = eva.at(&net.page(1));
    assert_eq!(names(&eva), ["ana", "bob", "eva"]);
    let ana = net.page(1).logged_in("ana", PASSWORD).expect("logs in");
    assert_eq!(ana.get("me").1["role"], "viewer");
    assert_eq!(net.page(1).logged_in("carla", PASSWORD).err(), Some(401));
    assert!(net.page(0).logged_in("bob", PASSWORD).is_ok());

    // A file that an older version or a backup leaves there is not read.
    let file = net.homes[1].state().join("collector/users");
    let moved = file.with_extension("moved");
    assert!(!file.exists() && moved.exists());
    std::fs::copy(&moved, &file).expect("copied");
    let text = std::fs::read_to_string(&file).expect("text");
    std::fs::write(&file, text.replace("bob", "mallory")).expect("written");
    net.kill_collector(1);
    net.start_collector(1);
    net.collector_says(1, "is not read");
    assert_eq!(names(&eva.at(&net.page(1))), ["ana", "bob", "eva"]);
    std::fs::remove_file(&file).expect("removed");

    // The command changes the users of the database, or says what to do.
    let (good, said) = command(&net.homes[1], &[], &["add", "mallory"]);
    assert!(!good && said.contains("--stream and --database"), "{said}");
    let mut options = net.stream(1);
    options.extend([
        "--database".to_owned(),
        net.cluster.as_ref().expect("runs").url(),
    ]);
    let (good, said) = command(&net.homes[1], &options, &["add", "dora"]);
    assert!(good, "{said}");
    assert!(net.page(0).logged_in("dora", PASSWORD).is_ok());
    let (good, said) = command(&net.homes[0], &options, &["remove", "bob"]);
    assert!(good, "{said}");
    let (good, said) = command(&net.homes[0], &options, &["list"]);
    assert!(
        good && said == "ana\tviewer\ndora\tviewer\neva\tadmin\n",
        "{said}"
    );
    assert_eq!(net.page(1).logged_in("bob", PASSWORD).err(), Some(401));
}

/// A collector that was paused for longer than its copy is good lets nobody in by it.
#[test]
fn a_token_that_is_revoked_while_a_collector_is_paused_is_refused_by_it() {
    let Some(net) = two() else { return };
    let admin = net.admin(0);
    let asked = json!({"name": "probe", "role": "viewer"});
    let (status, made) = admin.ask("POST", "tokens", &asked);
    assert_eq!(status, 201, "{made}");
    let token = net.page(1).with_token(&made["token"]);
    assert_eq!(token.me(), Ok("probe".into()));
    net.signal_collector(1, Signal::STOP);
    let path = format!("tokens/{}", made["id"]);
    assert_eq!(admin.ask("DELETE", &path, &Value::Null).0, 200);
    std::thread::sleep(TRUST + Duration::from_secs(1));
    net.signal_collector(1, Signal::CONT);
    assert_eq!(token.me(), Err(401));
    assert_eq!(admin.at(&net.page(1)).me(), Ok("admin".into()));
}

#[test]
fn a_token_that_is_revoked_while_the_database_the_database_is_away_stays_revoked() {
    let Some(net) = two() else { return };
    let (one, other) = (net.page(0), net.page(1));
    let admin = net.admin(0);
    let token = |name: &str| {
        let asked = json!({"name": name, "role": "viewer"});
        let (status, made) = admin.ask("POST", "tokens", &asked);
        assert_eq!(status, 201, "{made}");
        (
            format!("tokens/{}", made["id"]),
            one.with_token(&made["token"]),
        )
    };
    let (path, revoked) = token("revoked");
    let (_, kept) = token("kept");
    assert_eq!(kept.at(&other).me(), Ok("kept".into()));
    let cluster = net.cluster.as_ref().expect("runs");
    cluster.kill();
    assert_eq!(admin.ask("DELETE", &path, &Value::Null).0, 503);
    assert_ne!(revoked.get("me").0, 200, "it is revoked here at once");
    // What is known stays known for a moment, and nothing changes.
    assert_ne!(kept.get("me").0, 401);
    assert_eq!(admin.ask("POST", "users", &user("eve", "admin")).0, 503);
    assert_eq!(one.logged_in("admin", PASSWORD).err(), Some(503));
    // A collector that the database has not answered for long knows nobody.
    for page in [&kept, &kept.at(&other), &admin, &admin.at(&other)] {
        page.waits_for(503, &net);
    }
    cluster.up();
    for page in [&kept, &kept.at(&other), &admin, &admin.at(&other)] {
        page.waits_for(200, &net);
    }
    for page in [&revoked, &revoked.at(&other)] {
        page.waits_for(401, &net);
    }
    assert_eq!(
        cluster.psql("SELECT string_agg(name, ',') FROM token"),
        "kept"
    );
}
