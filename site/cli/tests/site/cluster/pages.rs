//! What the pages of the collectors show while the site is struck. A page may be away, but what it
//! shows must be right: of no station less than it has shown before, nor more than the station sent.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Pause between two rounds of pages, and its least share of the time: a page of many stations takes
/// long, and nobody looks at it all the time.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSES: u32 = 9;
/// Patience for a page.
const ANSWER: Duration = Duration::from_secs(5);
/// Stations of one page.
const STATIONS: usize = 100;

/// What was seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub pages: usize,
    /// Requests without an answer in time, or with an error.
    pub away: usize,
    /// The largest number of readings of each device on any page.
    pub most: HashMap<u32, u64>,
    /// The same for each collector.
    of: HashMap<(usize, u32), u64>,
    /// Pages that showed less than one of another collector had shown before.
    pub older: usize,
    pub wrong: Vec<String>,
}

impl Seen {
    /// Takes the stations of a page.
    fn page(&mut self, collector: usize, when: &str, stations: &[Value]) {
        self.pages += 1;
        let mut is_older = false;
        for station in stations {
            let Some((id, shown)) = shown(station) else {
                self.wrong
                    .push(format!("collector {collector} shows no number: {station}"));
                continue;
            };
            let own = self.of.entry((collector, id)).or_default();
            if shown < *own {
                self.wrong.push(format!(
                    "collector {collector} showed {shown} readings of {id:08x} {when}, after {own}"
                ));
            }
            *own = shown.max(*own);
            let most = self.most.entry(id).or_default();
            is_older |= shown < *most;
            *most = shown.max(*most);
        }
        self.older += usize::from(is_older);
    }
}

/// The device of a station, and the number of its readings.
pub fn shown(station: &Value) -> Option<(u32, u64)> {
    let id = station["device"].as_str()?;
    let id = u32::from_str_radix(id, 16).ok()?;
    Some((id, station["received"].as_u64()?))
}

/// A collector, for somebody who has logged in.
#[derive(Debug)]
pub struct Viewer {
    address: SocketAddr,
    /// Files of which one has the password of the first user: that of the collector that made it.
    passwords: Vec<PathBuf>,
    cookie: Option<String>,
}

impl Viewer {
    /// `states` are the directories of all collectors.
    pub fn new(address: SocketAddr, states: &[PathBuf]) -> Viewer {
        let file = |state: &PathBuf| state.join("collector/admin-password");
        Viewer {
            address,
            passwords: states.iter().map(file).collect(),
            cookie: None,
        }
    }

    /// The stations of its page. `None` if there is none now.
    pub fn read(&mut self) -> Option<Vec<Value>> {
        if self.cookie.is_none() {
            self.cookie = Some(self.login()?);
        }
        let path = format!("overview?order=name&limit={STATIONS}");
        let request = agent().get(self.url(&path));
        let cookie = self.cookie.as_deref().unwrap_or_default();
        let mut answer = request.header("Cookie", cookie).call().ok()?;
        if answer.status() == 401 {
            self.cookie = None;
        }
        if answer.status() != 200 {
            return None;
        }
        let text = answer.body_mut().read_to_string().ok()?;
        let page: Value = serde_json::from_str(&text).ok()?;
        page["stations"].as_array().cloned()
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/api/v1/{path}", self.address)
    }

    fn login(&self) -> Option<String> {
        let mut files = self.passwords.iter();
        let password = files.find_map(|file| std::fs::read_to_string(file).ok())?;
        let login = json!({"user": "admin", "password": password.trim()});
        let request = agent()
            .post(self.url("login"))
            .header("Content-Type", "application/json");
        let answer = request.send(login.to_string()).ok()?;
        let cookies = answer.headers().get_all("Set-Cookie").iter();
        let pair = |cookie: &str| cookie.split(';').next().unwrap_or_default().to_owned();
        let cookies: Vec<String> = cookies.flat_map(|it| it.to_str()).map(pair).collect();
        (answer.status() == 200).then(|| cookies.join("; "))
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .timeout_global(Some(ANSWER))
        .http_status_as_error(false)
        .build()
        .new_agent()
}

/// Reads the pages one after the other.
pub struct Pages {
    thread: JoinHandle<Seen>,
    stop: Arc<AtomicBool>,
}

impl Pages {
    pub fn start(mut viewers: Vec<Viewer>, begun: Instant) -> Pages {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut seen = Seen::default();
            while !stopped.load(Relaxed) {
                let asked = Instant::now();
                for (number, viewer) in (1..).zip(&mut viewers) {
                    let stations = viewer.read();
                    let at = begun.elapsed().as_secs_f64();
                    match stations {
                        Some(stations) => {
                            seen.page(number, &format!("after {at:.1} s"), &stations);
                        }
                        None => seen.away += 1,
                    }
                }
                let next = Instant::now() + PAUSE.max(asked.elapsed() * PAUSES);
                while Instant::now() < next && !stopped.load(Relaxed) {
                    std::thread::sleep(PAUSE / 5);
                }
            }
            seen
        });
        Pages { thread, stop }
    }

    pub fn end(self) -> Seen {
        self.stop.store(true, Relaxed);
        self.thread.join().expect("reads pages")
    }
}

#[test]
fn a_number_that_goes_back_is_wrong_and_one_behind_another_collector_is_old() {
    let page = |received: u64| vec![json!({"device": "0000002a", "received": received})];
    let mut seen = Seen::default();
    for (collector, received) in [(1, 5), (2, 4), (2, 6), (1, 6)] {
        seen.page(collector, "now", &page(received));
    }
    assert_eq!((seen.older, seen.wrong.len(), seen.most[&42]), (1, 0, 6));
    seen.page(1, "now", &page(5));
    assert!(seen.wrong[0].contains("showed 5"), "{:?}", seen.wrong);
    seen.page(1, "now", &[json!({"device": "0000002a"})]);
    assert_eq!(seen.wrong.len(), 2);
}
