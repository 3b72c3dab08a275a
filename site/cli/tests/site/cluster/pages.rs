//! What the pages of the collectors show while the site is struck. A page may be away, but what it
//! shows must be right: of no station less than any page has shown before, nor more than it sent.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Pause between two pages.
const PAUSE: Duration = Duration::from_millis(500);
/// Patience for a page.
const ANSWER: Duration = Duration::from_secs(5);
/// Stations of one page.
const STATIONS: usize = 200;

/// What was seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub pages: usize,
    /// Requests without an answer in time, or with an error.
    pub away: usize,
    /// The largest number of readings of each device.
    pub most: HashMap<u32, u64>,
    pub wrong: Vec<String>,
}

impl Seen {
    /// Takes the stations of a page.
    fn page(&mut self, of: &str, stations: &[Value]) {
        self.pages += 1;
        for station in stations {
            let id = station["device"].as_str().unwrap_or_default();
            let (Ok(id), Some(shown)) = (u32::from_str_radix(id, 16), station["readings"].as_u64())
            else {
                self.wrong.push(format!("{of} shows no numbers: {station}"));
                continue;
            };
            let most = self.most.entry(id).or_default();
            if shown < *most {
                self.wrong.push(format!(
                    "{of} shows {shown} readings of {id:08x} after a page showed {most}"
                ));
            }
            *most = shown.max(*most);
        }
    }
}

/// Reads the pages one after the other.
pub struct Pages {
    thread: JoinHandle<Seen>,
    stop: Arc<AtomicBool>,
}

impl Pages {
    pub fn start(collectors: Vec<SocketAddr>, begun: Instant) -> Pages {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut seen = Seen::default();
            while !stopped.load(Relaxed) {
                for (number, collector) in (1..).zip(&collectors) {
                    let of = format!(
                        "collector {number} after {:.1} s",
                        begun.elapsed().as_secs_f64()
                    );
                    match read(*collector) {
                        Some(stations) => seen.page(&of, &stations),
                        None => seen.away += 1,
                    }
                }
                std::thread::sleep(PAUSE);
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

/// The stations of a page. `None` if there is none now.
pub fn read(collector: SocketAddr) -> Option<Vec<Value>> {
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(ANSWER))
        .build()
        .new_agent();
    let url = format!("http://{collector}/api/v1/overview?order=name&limit={STATIONS}");
    let mut answer = agent.get(&url).call().ok()?;
    let text = answer.body_mut().read_to_string().ok()?;
    let page: Value = serde_json::from_str(&text).ok()?;
    page["stations"].as_array().cloned()
}
