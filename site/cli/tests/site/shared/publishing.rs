//! A gateway that publishes, and a whole site in one process, with the registry in PostgreSQL.

use std::time::{Duration, Instant};

use selo_sys::node::Suite;

use crate::chain::of_sqlite;
use crate::gateway_support::farm::Farm;
use crate::gateway_support::{CNode, PATIENCE, Site};
use crate::operator::Up;
use crate::postgres::Cluster;

const RAIN: [u8; 16] = [0, 0, 0, 0, 62, 0, 0, 0, 46, 9, 0, 0, 116, 14, 0, 0];
const WARM: [u8; 4] = [3, 103, 1, 16];

#[test]
fn a_gateway_publishes_with_the_codecs_of_a_registry_in_postgresql() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let mut farm = Farm::new();
    farm.site.environment(&[("SELO_REGISTRY", &cluster.url())]);
    let broker = farm.broker();
    let viewer = farm.viewer();
    let device = farm.site.device(Suite::Ascon, "garden");
    let gateway = farm.gateway(&["--print", "--until", "broker"]);
    gateway.log.said("connected to the broker");
    viewer.said.wait("selo/farm/status/gateway");
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, device);
    node.join();
    let topic = format!("selo/farm/reading/{:08x}", device.0);
    node.deliver(&RAIN);
    let line = viewer.said.wait(&topic);
    assert!(line.contains("\"codec\":\"rain-gauge\""), "{line}");
    let set = ["device", "set", "garden", "--codec", "cayenne-lpp"];
    farm.site.ok(&set);
    // The last known codec applies while the registry is away.
    for away in [false, true] {
        if away {
            cluster.kill();
        }
        node.deliver(&WARM);
        let line = viewer.said.wait(&topic);
        assert!(line.contains("\"temperature_3\":{\"value\":27.2"), "{line}");
    }
    let (code, lines, log) = gateway.stop();
    assert_eq!((code, lines.len()), (Some(0), 3), "{log}");
    broker.kill();
}

#[test]
fn a_site_in_one_process_stores_readings_with_a_registry_in_postgresql() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let mut site = Site::new();
    site.environment(&[("SELO_REGISTRY", &cluster.url())]);
    let device = site.device(Suite::Ascon, "garden");
    let up = Up::start(&mut site.command(&["up", "--tls"]));
    let mut node = CNode::provisioned(Suite::Ascon, up.nodes, device);
    node.join();
    node.deliver(&RAIN);
    let database = site.state().join("collector/readings.db");
    let since = Instant::now();
    while !of_sqlite(&database).contains(&hex::encode(RAIN)) {
        assert!(since.elapsed() < PATIENCE, "it is not stored");
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = up.stop();
    assert!(!log.contains("panicked"), "{log}");
}
