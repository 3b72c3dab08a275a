//! Runs exchanges in order. It warms the units up, then mixes all repetitions of all units in an
//! order that a seed decides, so that drift affects all units alike. It skips the exchanges that a
//! file already has.

use std::collections::{BTreeMap, HashSet};

use selo_base::stats;

use crate::error::{Error, Result};
use crate::net;
use crate::random::draws;
use crate::row::{Fidelity, Row, Rows, SCHEMA, Stamps, TlsTimes, Unit};

/// The constants of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub units: Vec<Unit>,
    pub repeat: u32,
    pub warm_up: u32,
    pub seed: u64,
    /// Description of the network between the machines.
    pub link: String,
    pub emulated: bool,
    /// Names of client machines other than this one, by device.
    pub clients: BTreeMap<String, String>,
}

/// The result of a successful exchange.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub server: String,
    pub authenticated: bool,
    pub sent: u64,
    pub received: u64,
    pub stamps: Option<Stamps>,
    pub tls: Option<TlsTimes>,
    /// The caution for its modelled cycles.
    pub caution: Option<String>,
}

/// Numbers of exchanges done by this run and by earlier runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: usize,
    pub kept: usize,
}

/// Give up after this many failures in a row.
const PATIENCE: usize = 3;

/// Runs the exchanges that `before` lacks. Writes a row after every exchange, with a reason if it
/// failed. `progress` gets the number done and the total.
pub fn run(
    plan: &Plan,
    rows: &mut Rows,
    before: &[Row],
    mut exchange: impl FnMut(&Unit) -> Result<Measured>,
    mut progress: impl FnMut(usize, usize),
) -> Result<Progress> {
    let (steps, kept) = steps(plan, before);
    let here = net::machine(plan.emulated);
    let mut failures: Vec<Error> = Vec::new();
    let mut in_a_row = 0;
    let mut tried = 0;
    for (order, step) in (0..).zip(&steps) {
        if selo_engine::schedule::check_interrupt().is_err() {
            break;
        }
        progress(tried, steps.len());
        tried += 1;
        let result = exchange(step.unit);
        rows.push(&row(plan, &here, step, order, &result))?;
        match result {
            Ok(_) => in_a_row = 0,
            // Wrong data or a lack of randomness: a repetition would fail too.
            Err(error) if error.exit_code() != 1 => return Err(error),
            Err(error) => {
                failures.push(error);
                in_a_row += 1;
                if in_a_row >= PATIENCE {
                    break;
                }
            }
        }
    }
    progress(tried, steps.len());
    match failures.first() {
        None => Ok(Progress { done: tried, kept }),
        Some(first) => Err(Error::Failed {
            failed: failures.len(),
            all: tried,
            first: first.to_string(),
            hint: first.hint(),
        }),
    }
}

/// One exchange of a plan.
#[derive(Clone, Copy)]
struct Step<'a> {
    unit: &'a Unit,
    repetition: u32,
    warm_up: bool,
}

/// The warm-ups, then the repetitions that `before` lacks, in the order of the seed; and the number
/// of repetitions that `before` has.
fn steps<'a>(plan: &'a Plan, before: &[Row]) -> (Vec<Step<'a>>, usize) {
    let good = before.iter().filter(|row| row.verified && !row.warm_up);
    let have: HashSet<(&Unit, u32)> = good.map(|row| (&row.unit, row.repetition)).collect();
    let mut wanted = Vec::new();
    let mut kept = 0;
    for unit in &plan.units {
        for repetition in 0..plan.repeat {
            if have.contains(&(unit, repetition)) {
                kept += 1;
            } else {
                wanted.push(Step {
                    unit,
                    repetition,
                    warm_up: false,
                });
            }
        }
    }
    let mut steps = Vec::new();
    let still: HashSet<&Unit> = wanted.iter().map(|step| step.unit).collect();
    for unit in plan.units.iter().filter(|unit| still.contains(unit)) {
        steps.extend((0..plan.warm_up).map(|repetition| Step {
            unit,
            repetition,
            warm_up: true,
        }));
    }
    let order = stats::shuffled(wanted.len(), draws(plan.seed));
    steps.extend(order.into_iter().map(|place| wanted[place]));
    (steps, kept)
}

/// The row of an exchange. `here` is this machine; `order` is the step's position in the run.
fn row(plan: &Plan, here: &str, step: &Step<'_>, order: u32, result: &Result<Measured>) -> Row {
    let measured = match result {
        Ok(measured) => measured.clone(),
        Err(_) => Measured::default(),
    };
    let device = step.unit.device.as_ref();
    let client = device
        .and_then(|device| plan.clients.get(device))
        .map_or(here, String::as_str);
    let emulated = [client, &measured.server]
        .into_iter()
        .any(|end| end.ends_with(net::EMULATED));
    Row {
        schema: SCHEMA.into(),
        unit: step.unit.clone(),
        link: plan.link.clone(),
        client: client.to_owned(),
        server: measured.server,
        fidelity: if emulated {
            Fidelity::Emulated
        } else {
            Fidelity::WallClock
        },
        authenticated: measured.authenticated,
        repetition: step.repetition,
        order,
        warm_up: step.warm_up,
        verified: result.is_ok(),
        fault: result.as_ref().err().map(Error::fault),
        reason: result.as_ref().err().map(ToString::to_string),
        sent: measured.sent,
        received: measured.received,
        stamps: measured.stamps,
        tls: measured.tls,
        caution: measured.caution,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::record::tests::sample;

    fn plan() -> Plan {
        let unit = |cipher| sample(cipher, 0, 1).unit;
        Plan {
            units: vec![unit("aes-128-cbc"), unit("aes-128-gcm")],
            repeat: 20,
            warm_up: 2,
            seed: 1,
            link: "loopback".into(),
            emulated: false,
            clients: BTreeMap::new(),
        }
    }

    #[test]
    fn a_run_is_shuffled_and_goes_on_where_it_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.jsonl");
        let (mut rows, before) = Rows::open(&path).expect("new");
        let mut calls = 0;
        let result = run(
            &plan(),
            &mut rows,
            &before,
            |_| {
                calls += 1;
                // The server is gone after call 14.
                if calls > 14 {
                    Err(Error::Cut { doing: "a test" })
                } else {
                    Ok(Measured::default())
                }
            },
            |_, _| {},
        );
        let error = result.expect_err("the server is gone");
        assert_eq!(error.exit_code(), 1);
        assert!(error.to_string().starts_with("3 of 17"), "{error}");
        let (mut rows, before): (Rows, Vec<Row>) = Rows::open(&path).expect("rows were kept");
        assert_eq!(before.iter().filter(|row| row.warm_up).count(), 4);
        assert_eq!(before.iter().filter(|row| row.fault.is_some()).count(), 3);
        let ciphers: Vec<&str> = before[4..14].iter().map(|row| &*row.unit.cipher).collect();
        let switches = ciphers.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(switches > 2, "the order is shuffled: {ciphers:?}");

        let outcome = run(
            &plan(),
            &mut rows,
            &before,
            |_| Ok(Measured::default()),
            |_, _| {},
        );
        assert_eq!(outcome.expect("goes on"), Progress { done: 34, kept: 10 });
        let after: Vec<Row> = crate::row::read(&path).expect("rows");
        let good = after.iter().filter(|row| row.verified && !row.warm_up);
        let distinct: HashSet<_> = good.map(|row| (&row.unit, row.repetition)).collect();
        assert_eq!(distinct.len(), 40);
        let again = run(&plan(), &mut rows, &after, |_| unreachable!(), |_, _| {});
        assert_eq!(again.expect("all there"), Progress { done: 0, kept: 40 });
    }
}
