//! The summary of a run.

use std::net::SocketAddr;
use std::time::Duration;

use selo_nodes::fleet::Tally;
use selo_nodes::impairment::Impairment;
use selo_report::format;

use super::args::Args;

pub(super) fn number(value: u64) -> String {
    format::count(value as f64)
}

pub(super) fn words(count: usize, to: SocketAddr, tally: &Tally, confirmed: bool) -> String {
    let mut words = format!(
        "{} of {} joined, {} sent",
        number(tally.joined_now),
        number(count as u64),
        number(tally.sent)
    );
    if confirmed {
        words += &format!(
            ", {} acknowledged, {} given up",
            number(tally.acknowledged),
            number(tally.lost)
        );
    }
    if tally.rejoins > 0 {
        words += &format!(", {} rejoins", number(tally.rejoins));
    }
    if tally.frames_in == 0 && tally.frames_out > 0 {
        words += &format!("; no answer from {to} yet");
    }
    words
}

/// The summary of a run.
pub(super) struct Report<'a> {
    pub(super) count: usize,
    pub(super) tally: &'a Tally,
    pub(super) took: Duration,
}

impl Report<'_> {
    pub(super) fn print(&self, args: &Args, to: SocketAddr) {
        if args.json {
            println!("{}", self.json());
        } else {
            print!("{}", self.text(args));
        }
        if let Some(hint) = self.hint(to) {
            eprintln!("hint: {hint}");
        }
    }

    fn json(&self) -> serde_json::Value {
        let Report { count, tally, took } = self;
        let milliseconds = |part| {
            let time = tally.latency.quantile(part);
            time.map(|time| time.as_micros() as f64 / 1000.0)
        };
        serde_json::json!({
            "schema": "selo.nodes/1",
            "seconds": took.as_millis() as f64 / 1000.0,
            "nodes": count,
            "joined": tally.joined,
            "joined_at_the_end": tally.joined_now,
            "rejoins": tally.rejoins,
            "sessions_lost": tally.sessions_lost,
            "sent": tally.sent,
            "acknowledged": tally.acknowledged,
            "lost": tally.lost,
            "skipped": tally.skipped,
            "received": tally.received,
            "frames_out": tally.frames_out,
            "frames_in": tally.frames_in,
            "send_errors": tally.send_errors,
            "network": {
                "lost": tally.network.lost,
                "doubled": tally.network.doubled,
                "overtaken": tally.network.overtaken,
                "altered": tally.network.altered,
                "cut": tally.network.cut,
            },
            "acknowledged_ms": {
                "median": milliseconds(0.5),
                "p99": milliseconds(0.99),
                "most": milliseconds(1.0),
            },
        })
    }

    fn text(&self, args: &Args) -> String {
        let Report { count, tally, took } = self;
        let mut text = format!(
            "{} of {} joined, {} rejoins, in {}\n",
            number(tally.joined),
            format::things(*count, "node", "nodes"),
            number(tally.rejoins),
            humantime::format_duration(Duration::from_millis(took.as_millis() as u64))
        );
        text += &format!("{} readings sent", number(tally.sent));
        if args.confirmed {
            text += &format!(
                ": {} acknowledged, {} given up, {} pending at the end",
                number(tally.acknowledged),
                number(tally.lost),
                number(tally.unsettled())
            );
        }
        if tally.skipped > 0 {
            text += &format!(
                "; {} skipped, because the previous reading was still waiting",
                number(tally.skipped)
            );
        }
        text.push('\n');
        let time = |part| {
            let time = tally.latency.quantile(part)?;
            let seconds = format::significant(time.as_secs_f64() * 1000.0, 2);
            Some(format!("{seconds} ms"))
        };
        if let (Some(median), Some(most_of), Some(most)) = (time(0.5), time(0.99), time(1.0)) {
            text +=
                &format!("acknowledged after {median} (median), {most_of} (99%), {most} (all)\n");
        }
        text += &format!(
            "{} frames out, {} in",
            number(tally.frames_out),
            number(tally.frames_in)
        );
        if args.impairment() != Impairment::default() {
            let network = &tally.network;
            text += &format!(
                "; of both, {} lost, {} doubled, {} overtaken, {} altered, {} cut",
                number(network.lost),
                number(network.doubled),
                number(network.overtaken),
                number(network.altered),
                number(network.cut)
            );
        }
        text.push('\n');
        if tally.received > 0 {
            text += &format!("{} messages received\n", number(tally.received));
        }
        text
    }

    /// A likely reason why nodes did not join, as far as the nodes can tell.
    fn hint(&self, to: SocketAddr) -> Option<String> {
        let Report { count, tally, .. } = self;
        if tally.joined >= *count as u64 {
            return None;
        }
        Some(match (tally.frames_in, tally.send_errors) {
            (0, 1..) => format!("no program listens at {to}; start one with: selo gateway --listen {to}"),
            (0, 0) => format!(
                "no answer from {to}; check that a gateway runs there and knows these nodes (`selo device list` on its machine)"
            ),
            _ => "the gateway knows only some of the nodes; wait longer, or check `selo device list` on its machine"
                .into(),
        })
    }
}
