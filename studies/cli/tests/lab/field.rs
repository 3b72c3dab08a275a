//! The rain gauge on a simulated Uno, from end to end: its firmware, a virtual LoRa module on its
//! UART, the air, and a second module at the gateway's serial port. Each is a process of its own.
//! The chip runs at the pace of the wall clock, as the air does.

use std::path::Path;
use std::process::{Child, Stdio};

use crate::gateway_support::{Lines, Running, Site, compare_digits};
use rustix::process::{Pid, Signal, kill_process};
use selo_codec::Catalogue;
use serde_json::Value;

/// Tips of the simulated bucket, at least half a second apart.
const TIPS: u64 = 7;

/// All tips must arrive within this many readings.
const MOST_READINGS: usize = 40;

struct Modules(Child);

impl Drop for Modules {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

fn air(site: &Site) -> Modules {
    let mut command = site.command(&["radio", "run", "--gateway", "gw", "--board", "uno.air"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut modules = Modules(command.spawn().expect("starts"));
    Lines::of(modules.0.stderr.take().expect("piped")).wait("Ctrl-C");
    modules
}

fn value(reading: &Value, name: &str) -> Option<f64> {
    let payload = hex::decode(reading["payload"].as_str().expect("a payload"));
    let payload = payload.expect("hexadecimal");
    let catalogue = Catalogue::built_in().expect("codecs");
    let codec = catalogue.get("rain-gauge").expect("the codec");
    let values = codec.decode(&payload).expect("a reading of a rain gauge");
    values
        .into_iter()
        .find(|value| value.name == name)
        .map(|value| value.value)
}

/// Starts a simulated Uno with a lost clock, paired by `operator`, who has opened the window.
fn rain_gauge(site: &Site, mut operator: Running) -> Running {
    operator.err.wait("Start pairing");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the repository");
    let tips = TIPS.to_string();
    let mut arguments = vec!["node", "--project", root.to_str().expect("text")];
    arguments.extend([
        "--board", "uno", "--radio", "uno.air", "--json", "--every", "3s",
    ]);
    arguments.extend(["--rain", "7200", "--tips", &tips, "--clock-lost"]);
    let mut node = Running::start(site, &arguments);
    compare_digits(&mut node, &mut operator);
    let (code, _, err) = operator.wait();
    assert_eq!(code, Some(0), "{err}");
    node.err.wait("joined");
    node
}

#[test]
fn a_rain_gauge_pairs_by_radio_and_its_tips_arrive() {
    let site = Site::new();
    let _modules = air(&site);
    let gateway = site.gateway(&["--radio", "gw"]);
    let operator = Running::start(&site, &["device", "pair", "--name", "uno"]);
    let node = rain_gauge(&site, operator);

    // A message after a reading sets the clock. In the end all tips have arrived.
    let first = gateway.readings.next_json();
    assert_eq!(first["source"], "radio:0");
    assert_eq!(
        (value(&first, "restarted"), value(&first, "time")),
        (Some(1.0), None)
    );
    let answer = site.ok(&["device", "clock", "uno"]);
    assert!(answer.contains("acknowledged"), "{answer}");
    node.err.wait("clock set");
    let last = (0..MOST_READINGS).find_map(|_| {
        let reading = gateway.readings.next_json();
        let total = value(&reading, "rain_total").expect("a total");
        assert!(total <= 0.2 * TIPS as f64 + 1e-9, "{total}");
        let all = total >= 0.2 * TIPS as f64 - 1e-9 && value(&reading, "time").is_some();
        all.then_some(reading)
    });
    let last = last.expect("all tips, and the time");
    assert_eq!(value(&last, "clock_lost"), Some(0.0));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.expect("a time").as_secs_f64();
    let time = value(&last, "time").expect("a time");
    assert!((now - time).abs() < 60.0, "{time} is not {now}");

    node.interrupt();
    let (code, tally, err) = node.wait();
    assert_eq!(code, Some(0), "{err}");
    let tally: Value = serde_json::from_str(&tally).expect("JSON");
    assert_eq!(
        (&tally["schema"], &tally["tips"]),
        (&"selo.station/1".into(), &TIPS.into())
    );
    assert_eq!(tally["joins"], 1, "{tally}");
    assert!(tally["sent"].as_u64() > Some(1), "{tally}");
    gateway.stop();
}

#[test]
fn a_clock_that_is_lost_is_set_without_being_asked_for() {
    let site = Site::new();
    let _modules = air(&site);
    let mut up = vec!["up", "--radio", "gw", "--http", "127.0.0.1:0"];
    up.extend(["--listen", "127.0.0.1:0", "--broker", "127.0.0.1:0"]);
    let up = Running::start(&site, &up);
    up.err.wait("everything is up");
    let operator = Running::start(&site, &["device", "pair", "--name", "uno"]);
    let node = rain_gauge(&site, operator);
    node.err.wait("clock set");
    node.interrupt();
    assert_eq!(node.wait().0, Some(0));
    up.interrupt();
    let (code, _, log) = up.wait();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(log.matches("sent the time").count(), 1, "{log}");
}

#[test]
fn what_the_rain_gauge_cannot_do_is_refused() {
    let site = Site::new();
    for (more, says) in [
        (&["--confirmed"][..], "does not repeat"),
        (&["--fast"][..], "cannot be used with"),
        (&["--rain", "9000"][..], "between 0 and 7200"),
    ] {
        let mut arguments = vec!["node", "--board", "uno", "--radio", "none"];
        arguments.extend(more);
        let answer = site.selo(&arguments);
        assert_eq!(answer.code, Some(2), "{more:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{more:?}: {answer:?}");
    }
    let baud = site.selo(&["node", "--board", "uno", "--radio", "none,115200"]);
    assert!(baud.stderr.contains("9600 baud"), "{baud:?}");
    let rain = site.selo(&["node", "--board", "uno", "--to", "127.0.0.1", "--tips", "3"]);
    assert_eq!(rain.code, Some(2), "{rain:?}");
}
