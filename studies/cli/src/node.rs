//! `selo node`: virtual nodes, one or ten thousand, and the firmware on a simulated board.

mod args;
mod board;
mod pair;
mod radio;
mod registry;
mod report;
mod station;
mod suite;

use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use selo_command::status::StatusLine;
use selo_nodes::fleet::{self, Plan, Tally};
use selo_nodes::node::{VirtualNode, describe, system_entropy};
use selo_nodes::records::Records;

use self::args::wrong;
use self::registry::{make_registry, take_registry};
use self::report::{Report, words};
use self::suite::device_suite;

pub use self::args::Args;

pub fn run(args: &Args, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    if let Some(file) = &args.make_registry {
        return make_registry(args, file);
    }
    // After Ctrl-C the summary follows.
    let stop = selo_base::interrupt::flag();
    if let (Some(name), Some(port)) = (&args.board, &args.radio) {
        return station::run(args, name, port, project, &stop);
    }
    let mut _bridge = None;
    let to = match &args.radio {
        Some(port) => _bridge.insert(radio::Bridge::start(port)?).address(),
        None => args.gateway()?,
    };
    if let Some(name) = &args.board {
        return board::run(args, name, to, project, &stop);
    }
    let mut records = args.records()?;
    if let Some(file) = &args.registry {
        take_registry(args, file, &mut records)?;
    }
    let mut nodes = start(args, &records)?;
    if args.pair && !pair::run(&mut nodes, &mut records, to, &stop)? {
        return Ok(ExitCode::from(1));
    }
    if let Some(number) = nodes.iter_mut().position(|node| !node.node().is_paired()) {
        return Err(wrong(
            format!("node {number} has no key"),
            "use --pair, --registry FILE or --make-registry FILE to give it one",
        ));
    }
    if args.readings == Some(0) {
        return Ok(ExitCode::SUCCESS);
    }
    let count = nodes.len();
    let start = Instant::now();
    let tally = drive(args, nodes, records, to, &stop)?;
    let took = start.elapsed();
    let tally = &tally;
    Report { count, tally, took }.print(args, to);
    let whole = tally.joined == count as u64 && tally.lost == 0;
    Ok(ExitCode::from(u8::from(!whole)))
}

/// Starts the nodes.
fn start(args: &Args, records: &Records) -> selo_base::report::Result<Vec<VirtualNode>> {
    let count = match args.count {
        Some(count) => count as usize,
        None => records.len().max(1),
    };
    if args.radio.is_some() && count != 1 {
        return Err(wrong(
            format!("a module serves one node, not {count}"),
            "use --count 1, or another --state DIR",
        ));
    }
    if args.pair && count != 1 {
        return Err(wrong(
            format!("only one node can pair at a time, not {count}"),
            "leave --count out, and give each node its own --state DIR",
        ));
    }
    let node = |number: usize| {
        let record = records.get(number).copied();
        let suite = match record.as_ref().and_then(describe) {
            Some(info) if args.suite.is_some_and(|suite| suite.suite() != info.suite) => {
                let kept = device_suite(info.suite)?;
                return Err(wrong(
                    format!("node {number} of the state directory has suite {kept}"),
                    "leave --suite out, or use another directory with --state DIR",
                ));
            }
            Some(info) => info.suite,
            None => args.suite(),
        };
        let started = VirtualNode::start(suite, record, system_entropy());
        started.map_err(|source| {
            selo_nodes::Error::Node {
                node: number,
                source,
            }
            .into()
        })
    };
    (0..count).map(node).collect()
}

/// Runs the nodes, and shows the progress on a terminal.
fn drive(
    args: &Args,
    nodes: Vec<VirtualNode>,
    records: Records,
    to: SocketAddr,
    stop: &AtomicBool,
) -> selo_base::report::Result<Tally> {
    let plan = Plan {
        to,
        every: args.every,
        readings: args.readings,
        confirmed: args.confirmed,
        impairment: args.impairment(),
        seed: args.seed,
        limit: args.limit,
        threads: std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(4),
        speed: 1,
    };
    let status = StatusLine::new();
    let count = nodes.len();
    let tally = fleet::run(nodes, records, &plan, stop, |tally| {
        status.say(&words(count, to, tally, args.confirmed));
    })?;
    Ok(tally)
}
