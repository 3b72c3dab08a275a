//! The operator's side of a pairing, and an honest node beside it.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::Result;
use super::super::case::{Findings, setup};
use super::super::honest;
use super::super::program::Program;
use super::super::site::Site;
use super::super::wire::PATIENCE;

/// Readings of the paired node.
pub(super) const PAIRED_READINGS: u64 = 5;

/// The operator at the gateway.
pub(super) struct Desk {
    pub(super) window: Program,
}

impl Desk {
    /// Opens the pairing window.
    pub(super) fn open(site: &Site) -> Result<Desk> {
        let window = site.command(&["device", "pair", "--name", "garden"]);
        let mut window = Program::start(window, site.path(), "window")?;
        window.wait_log("Start pairing")?;
        Ok(Desk { window })
    }

    /// Types the digits that a node shows. Returns true if the gateway accepts them.
    pub(super) fn takes(&mut self, digits: &str) -> Result<bool> {
        let refused = self.window.log().matches("refuses").count();
        self.window.type_line(digits)?;
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            let log = self.window.log();
            if log.contains("The digits are right") {
                return Ok(true);
            }
            if log.matches("refuses").count() > refused || self.window.has_ended() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }
}

/// A node that pairs with the gateway on a port, then sends readings.
pub(super) fn pairing_node(site: &Site, port: u16, name: &str) -> Result<Program> {
    let (to, each) = (format!("127.0.0.1:{port}"), PAIRED_READINGS.to_string());
    let words = [
        "node",
        "--to",
        &to,
        "--pair",
        "--state",
        "new",
        "--every",
        "100ms",
        "--readings",
        &each,
        "--confirmed",
        "--for",
        "60s",
        "--json",
    ];
    Program::start(site.command(&words), site.path(), name)
}

/// Waits for the node to show digits. Returns true if it does.
pub(super) fn shows_digits(node: &mut Program) -> bool {
    let since = Instant::now();
    while !node.log().contains("Digits here") && since.elapsed() < 3 * PATIENCE && !node.has_ended()
    {
        std::thread::sleep(Duration::from_millis(50));
    }
    node.log().contains("Digits here")
}

/// The digits that a node shows.
pub(super) fn digits(node: &mut Program) -> Result<String> {
    if !shows_digits(node) {
        return setup(format!("the node shows no digits: {}", node.log()));
    }
    let log = node.log();
    let shown = log.split("Digits here:").nth(1).unwrap_or_default();
    let digits = shown.chars().filter(char::is_ascii_digit);
    Ok(digits.take(6).collect())
}

/// Checks that the node confirmed by its operator is paired, and that its readings arrive.
pub(super) fn check_paired(mut node: Program, findings: &mut Findings) -> Result<()> {
    if !node.ended_within(6 * PATIENCE) {
        return setup("the paired node did not end".into());
    }
    let summary: Value = serde_json::from_str(node.output().trim()).unwrap_or_default();
    let acknowledged = summary["acknowledged"].as_u64().unwrap_or(0);
    findings.note(format!(
        "the honest node {}, {acknowledged} of {PAIRED_READINGS} readings",
        if node.log().contains("Paired.") {
            "is paired"
        } else {
            "is not paired"
        },
    ));
    findings.figure("readings of the paired node", acknowledged as f64);
    findings.expect(
        acknowledged == PAIRED_READINGS,
        "the honest node was not paired with its gateway",
    );
    Ok(())
}

/// Only honest nodes may be devices: those that were registered, and the one that was paired.
pub(super) fn check_devices(site: &mut Site, findings: &mut Findings) -> Result<()> {
    let listed = site.ok(&["device", "list", "--json"])?;
    let devices = listed.lines().count() as u64;
    findings.figure("devices", devices as f64);
    findings.expect(
        devices == honest::NODES + 1,
        format!("{devices} devices, of {}", honest::NODES + 1),
    );
    Ok(())
}
