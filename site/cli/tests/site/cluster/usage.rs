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

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (of, bytes)) in self.bytes.iter().enumerate() {
            let own = self.ticks.iter().filter(|((other, _), _)| other == of);
            let ticks: u64 = own.map(|(_, ticks)| ticks).sum();
            let name = of.map_or("nodes and trial".into(), |kind| {
                format!("{kind:?}").to_lowercase()
            });
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
