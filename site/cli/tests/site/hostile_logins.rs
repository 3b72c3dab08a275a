//! Strangers try wrong passwords at the login of `selo collect`, many at once and from many
//! addresses. The tests measure the memory that they cost, and check that an operator can log in
//! meanwhile. Each request has an address of its own, in the header that a proxy adds.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::gateway_support::{PATIENCE, Running, Site};
use serde_json::json;

struct Town {
    site: Site,
    collector: Running,
    address: SocketAddr,
}

#[derive(Debug)]
struct Said {
    status: u16,
    head: String,
}

/// Returns the value of a cookie that an answer sets.
fn cookie(said: &Said, name: &str) -> String {
    let start = format!("{name}=");
    let found = said.head.lines().find_map(|line| {
        let (_, value) = line.split_once("set-cookie: ")?;
        value.strip_prefix(&start)?.split(';').next()
    });
    found.expect("a cookie").to_owned()
}

fn log_in(address: SocketAddr, user: &str, password: &str, more: &str) -> Option<Said> {
    let body = json!({"user": user, "password": password}).to_string();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(
        stream,
        "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{more}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut head = String::new();
    stream.read_to_string(&mut head).ok()?;
    let status = head.get(9..12)?.parse().ok()?;
    Some(Said { status, head })
}

fn from(address: &str) -> String {
    // The proxy appends the address that it sees to the one that the client claims.
    format!("X-Forwarded-For: 198.51.100.77, {address}\r\n")
}

fn some_address(number: usize) -> String {
    format!(
        "10.{}.{}.{}",
        number >> 16 & 255,
        number >> 8 & 255,
        number & 255
    )
}

impl Town {
    fn start(more: &[&str]) -> Town {
        let site = Site::new();
        let mut arguments = vec!["collect", "--http", "127.0.0.1:0"];
        arguments.extend(more);
        let collector = Running::start(&site, &arguments);
        let line = collector.err.wait("listening on ");
        let (_, address) = line.rsplit_once("http://").expect("a URL");
        let address = address.trim().parse().expect("an address");
        Town {
            site,
            collector,
            address,
        }
    }

    fn password(&self) -> String {
        let file = self.site.state().join("collector/admin-password");
        let text = std::fs::read_to_string(file).expect("a password");
        text.trim().to_owned()
    }

    /// Resident memory of the collector, MiB: now, and at its peak.
    fn memory(&self) -> (u64, u64) {
        let path = format!("/proc/{}/status", self.collector.pid());
        let status = std::fs::read_to_string(path).expect("of Linux");
        let field = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let mut words = line.expect("a field").split_whitespace();
            let kib: u64 = words
                .next()
                .and_then(|word| word.parse().ok())
                .expect("KiB");
            kib / 1024
        };
        (field("VmRSS:"), field("VmHWM:"))
    }
}

#[test]
fn many_logins_at_once_cost_two_hashes_of_memory() {
    const LOGINS: usize = 250;
    let town = Town::start(&["--trusted-proxy", "127.0.0.1"]);
    // Log in once, so that memory that is allocated only once does not count.
    assert_eq!(
        log_in(town.address, "admin", &town.password(), "").map(|said| said.status),
        Some(200)
    );
    let (before, _) = town.memory();
    let threads: Vec<_> = (0..LOGINS)
        .map(|number| {
            let address = town.address;
            std::thread::spawn(move || {
                let user = if number % 2 == 0 { "admin" } else { "nobody" };
                log_in(address, user, "wrong", &from(&some_address(number)))
            })
        })
        .collect();
    let said: Vec<Said> = threads
        .into_iter()
        .filter_map(|thread| thread.join().expect("no panic"))
        .collect();
    let (after, peak) = town.memory();
    let count = |status| said.iter().filter(|said| said.status == status).count();
    println!(
        "{LOGINS} logins at once: {} refused as wrong, {} told to retry; resident {before} \
         MiB before, {peak} at the peak, {after} after",
        count(401),
        count(503)
    );
    assert_eq!(said.len(), LOGINS, "each login gets an answer");
    assert_eq!(count(401) + count(503), LOGINS);
    for busy in said.iter().filter(|said| said.status == 503) {
        assert!(busy.head.contains("retry-after: "), "{}", busy.head);
    }
    assert!(count(503) > 0 && count(401) > 0);
    assert!(peak < before + 100, "two hashes have 19 MiB each");
    assert!(after < before + 60, "memory is freed");
}

/// Threads that guess the operator's password, each time from another address.
struct Flood {
    over: Arc<AtomicBool>,
    tried: Arc<AtomicUsize>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Flood {
    fn start(address: SocketAddr, threads: usize) -> Flood {
        let (over, tried) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let threads = (0..threads)
            .map(|_| {
                let (over, tried) = (over.clone(), tried.clone());
                std::thread::spawn(move || {
                    while !over.load(Relaxed) {
                        let more = from(&some_address(tried.fetch_add(1, Relaxed)));
                        let _ = log_in(address, "admin", "wrong", &more);
                    }
                })
            })
            .collect();
        let flood = Flood {
            over,
            tried,
            threads,
        };
        while flood.tried.load(Relaxed) < 60 {
            std::thread::sleep(Duration::from_millis(10));
        }
        flood
    }

    fn end(self) -> usize {
        self.over.store(true, Relaxed);
        for thread in self.threads {
            thread.join().expect("no panic");
        }
        self.tried.load(Relaxed)
    }
}

/// Tries to log in until it succeeds. Returns the answer, the number of attempts and the time.
fn get_in(town: &Town, password: &str, more: &str) -> (Said, usize, Duration) {
    let started = Instant::now();
    for attempt in 1.. {
        assert!(started.elapsed() < PATIENCE, "locked out");
        let said = log_in(town.address, "admin", password, more).expect("an answer");
        if said.status == 200 {
            return (said, attempt, started.elapsed());
        }
        assert_eq!(said.status, 503, "{}", said.head);
        std::thread::sleep(Duration::from_millis(100));
    }
    unreachable!("the range has no end")
}

#[test]
fn an_operator_gets_in_while_strangers_guess_from_everywhere() {
    let town = Town::start(&["--trusted-proxy", "127.0.0.1/32"]);
    let password = town.password();
    let flood = Flood::start(town.address, 48);
    let (first, attempts, took) = get_in(&town, &password, &from("192.0.2.1"));
    println!("another address: logged in after {attempts} attempts, {took:?}");
    let browser = format!(
        "Cookie: selo_browser={}\r\n{}",
        cookie(&first, "selo_browser"),
        from("192.0.2.2")
    );
    let (_, attempts, took) = get_in(&town, &password, &browser);
    println!("a recognised browser: logged in after {attempts} attempts, {took:?}");
    assert_eq!(
        attempts, 1,
        "a recognised browser does not wait behind strangers"
    );
    let tried = flood.end();
    println!("strangers tried {tried} times meanwhile");
}

#[test]
fn only_a_proxy_of_ours_says_for_whom_it_asks() {
    let town = Town::start(&[]);
    let wrong = |town: &Town, number: usize| {
        let said = log_in(town.address, "admin", "wrong", &from(&some_address(number)));
        said.expect("an answer").status
    };
    let statuses: Vec<u16> = (0..6).map(|number| wrong(&town, number)).collect();
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429]);
    let other = log_in(town.address, "nobody", "wrong", "").expect("an answer");
    assert_eq!(other.status, 401, "another account");

    let town = Town::start(&["--trusted-proxy", "127.0.0.1"]);
    let statuses: Vec<u16> = (0..6).map(|number| wrong(&town, number)).collect();
    assert_eq!(statuses, [401; 6], "each address has its own limit");
    let statuses: Vec<u16> = (0..6).map(|_| wrong(&town, 77)).collect();
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429]);
}
