//! The rain gauge of `studies/firmware/node` (field) on a simulated Uno, with a radio module on its
//! UART: a virtual module in this program or in another one, or a module behind a serial port.

mod radio;
mod rain;
mod tally;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selo_engine::board::Board;
use selo_engine::build::Image;
use selo_firmware::field::{FieldNode, ROLE};

use crate::board::build_with;
use crate::error::Result;

use tally::{Frames, Mark};

pub use radio::{Radio, SerialPort, Wired};
pub use rain::Rain;
pub use tally::{Spent, Tally};

/// The chip runs this fraction of a second between two polls of its module.
const STEPS_PER_SECOND: u64 = 1000;

/// Builds the rain gauge for a board and a suite, with one reading per `every`.
pub fn build(root: &Path, board: &str, suite: &str, every: Duration) -> Result<(Board, Image)> {
    let period = [
        "-UNODE_PERIOD_MS".to_owned(),
        format!("-DNODE_PERIOD_MS={}", every.as_millis()),
    ];
    build_with(root, board, suite, |builder, unit, list| {
        builder.program_role(unit, list, ROLE, &period)
    })
}

/// Bytes exchanged between a chip and its module.
struct Passed {
    sent: Vec<u8>,
    come: bool,
}

fn advance(node: &mut FieldNode, radio: &mut impl Radio) -> Result<Passed> {
    node.advance(node.clock_hz() / STEPS_PER_SECOND)?;
    let sent = std::mem::take(&mut node.uart);
    let (come, free) = radio.exchange(node.time(), &sent, node.pins)?;
    node.set_aux(free)?;
    if !come.is_empty() {
        node.receive(&come)?;
    }
    // Cycle spans are for the lab. Here they only take memory.
    node.spans.clear();
    Ok(Passed {
        sent,
        come: !come.is_empty(),
    })
}

/// Advances the chip and its module by a millisecond. The module's bytes and AUX level reach the
/// chip at the end.
pub fn step(node: &mut FieldNode, radio: &mut impl Radio) -> Result<()> {
    advance(node, radio).map(drop)
}

/// Parameters of a station.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Number of readings; `None` for no limit.
    pub readings: Option<u64>,
    /// Latest time to stop, by the wall clock.
    pub limit: Option<Duration>,
}

/// The chip may fall this far behind the wall clock and still catch up. A larger delay remains,
/// because a chip that runs faster than the clock would not wait for its answers.
const BEHIND: Duration = Duration::from_millis(200);

/// Duration of a button press that starts a pairing, and of one that confirms it.
const SHORT_PRESS: Duration = Duration::from_millis(200);
const LONG_PRESS: Duration = Duration::from_millis(2_500);
/// Holding the button during the start makes the station forget its keys.
const STARTED: Duration = Duration::from_secs(1);

/// Runs the station in real time until the plan is complete or `stop` is set. `hear` receives
/// each console line. An unpaired station gets the short press that starts a pairing, and, if
/// `confirm` is set, the long press that confirms it.
pub fn run(
    node: &mut FieldNode,
    radio: &mut impl Radio,
    rain: &mut Rain,
    plan: &Plan,
    stop: &AtomicBool,
    confirm: &AtomicBool,
    mut hear: impl FnMut(&str),
) -> Result<Tally> {
    let start = Instant::now();
    let mut late = Duration::ZERO;
    let mut tally = Tally::default();
    let mut frames = Frames::default();
    let (mut start_pairing, mut release) = (None, None);
    let mut mark = None;
    let limit = plan.limit;
    let done = |tally: &Tally| plan.readings.is_some_and(|wanted| tally.readings >= wanted);
    while !done(&tally) && !stop.load(Relaxed) && limit.is_none_or(|most| start.elapsed() < most) {
        let bytes = advance(node, radio)?;
        let now = node.time();
        frames.push(now, &bytes.sent, &mut tally);
        tally.frames_in += u64::from(bytes.come);
        if mark.is_none() && tally.readings > 0 {
            mark = Some((Mark::of(node), frames.on_air));
        }
        if tally.joins > 0 && rain.tips(now) {
            tally.tips += 1;
            node.tip()?;
        }
        while let Some(line) = node.console.pop_front() {
            tally.note(&line);
            if line == "unpaired" {
                start_pairing = Some(now + STARTED);
            }
            hear(&line);
        }
        if start_pairing.take_if(|at| now >= *at).is_some() {
            node.button(false)?;
            release = Some(now + SHORT_PRESS);
        }
        if confirm.swap(false, Relaxed) {
            node.button(false)?;
            release = Some(now + LONG_PRESS);
        }
        if release.is_some_and(|at| now >= at) {
            node.button(true)?;
            release = None;
        }
        let behind = start.elapsed().saturating_sub(late + now);
        late += behind.saturating_sub(BEHIND);
        std::thread::sleep((late + now).saturating_sub(start.elapsed()));
    }
    if let Some((mark, before)) = mark {
        tally.spent = mark.spent(node, frames.on_air - before);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests;
