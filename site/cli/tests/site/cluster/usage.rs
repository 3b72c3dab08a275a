//! The processor time and the memory that each kind of part has used, summed over its processes,
//! also those that were killed. Sampled while the trial waits.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::faults::Kind;

/// Interval between two samples.
const EVERY: Duration = Duration::from_secs(1);
/// Units of the times in `/proc/PID/stat` per second. Linux shows the same to every program.
const TICKS: u64 = 100;
/// Bytes of a page of memory, as `/proc/PID/stat` counts them.
const PAGE: u64 = 4096;

/// A kind of part; `None` are the nodes and the trial itself.
pub type Of = Option<Kind>;

/// What `/proc` says of a process.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    ticks: u64,
    /// Of its children that have ended.
    ended: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
pub struct Usage {
    last: Option<Instant>,
    /// Ticks of each process, as last seen.
    ticks: HashMap<(Of, u32), u64>,
    /// The largest memory of one process of the kind.
    bytes: BTreeMap<Of, u64>,
}

impl Usage {
    /// Takes a sample of these processes if it is time. PostgreSQL has a process for each connection.
    pub fn sample(&mut self, processes: impl IntoIterator<Item = (Of, u32)>) {
        let now = Instant::now();
        if self.last.is_some_and(|last| now - last < EVERY) {
            return;
        }
        self.last = Some(now);
        for (of, process) in processes {
            let children = match of {
                Some(Kind::Database | Kind::Standby) => children(process),
                _ => Vec::new(),
            };
            let Some(own) = read(process) else { continue };
            let live: u64 = children.into_iter().flat_map(read).map(|it| it.ticks).sum();
            self.ticks
                .insert((of, process), own.ticks + own.ended + live);
            let most = self.bytes.entry(of).or_default();
            *most = own.bytes.max(*most);
        }
    }
}

impl Usage {
    /// Ticks of each kind until now.
    fn by_kind(&self) -> BTreeMap<Of, u64> {
        let mut all = BTreeMap::new();
        for ((of, _), ticks) in &self.ticks {
            *all.entry(*of).or_default() += ticks;
        }
        all
    }

    /// The state now, when so many readings have been acknowledged.
    pub fn lap(&self, readings: usize) -> Lap {
        Lap {
            at: Instant::now(),
            ticks: self.by_kind(),
            readings,
        }
    }
}

/// The state at a moment.
#[derive(Debug)]
pub struct Lap {
    at: Instant,
    ticks: BTreeMap<Of, u64>,
    readings: usize,
}

impl Lap {
    /// The processor time of each kind for a reading, since an earlier moment.
    pub fn since(&self, earlier: &Lap) -> String {
        let readings = self.readings.saturating_sub(earlier.readings).max(1);
        let each = self.ticks.iter().map(|(of, ticks)| {
            let before = earlier.ticks.get(of).copied().unwrap_or(0);
            let spent = ticks.saturating_sub(before) as f64 / TICKS as f64;
            format!("{} {:.2} ms", named(*of), spent * 1000.0 / readings as f64)
        });
        let each: Vec<String> = each.collect();
        let seconds = (self.at - earlier.at).as_secs_f64();
        format!(
            "{}; {readings} readings in {seconds:.0} s ({:.0}/s)",
            each.join(", "),
            readings as f64 / seconds.max(1.0)
        )
    }
}

fn named(of: Of) -> String {
    of.map_or("nodes and trial".into(), |kind| {
        format!("{kind:?}").to_lowercase()
    })
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ticks = self.by_kind();
        for (index, (of, bytes)) in self.bytes.iter().enumerate() {
            let ticks = ticks.get(of).copied().unwrap_or(0);
            let name = named(*of);
            let separator = if index == 0 { "" } else { ", " };
            let seconds = ticks as f64 / TICKS as f64;
            write!(f, "{separator}{name} {seconds:.1} s {} MB", bytes >> 20)?;
        }
        Ok(())
    }
}

fn read(process: u32) -> Option<Sample> {
    let text = std::fs::read_to_string(PathBuf::from(format!("/proc/{process}/stat"))).ok()?;
    // Its name may have spaces; the numbers follow.
    let (_, rest) = text.rsplit_once(") ")?;
    let numbers: Vec<u64> = rest
        .split(' ')
        .skip(1)
        .map(|number| number.trim().parse().unwrap_or(0))
        .collect();
    let at = |field: usize| numbers.get(field - 4).copied().unwrap_or(0);
    Some(Sample {
        ticks: at(14) + at(15),
        ended: at(16) + at(17),
        bytes: at(24) * PAGE,
    })
}

fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().flat_map(str::parse).collect()
}
