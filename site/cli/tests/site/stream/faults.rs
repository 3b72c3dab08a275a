//! A server that is away, silent, full, or has lost what it had acknowledged.

use rustix::process::Signal;

use super::Net;
use super::server::{Nats, STREAM, stream};
use crate::gateway_support::Site;
use crate::status::{of, wait_for};

#[test]
fn while_the_server_is_away_or_silent_readings_wait_in_the_journal() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    nats.kill();
    let mut net = Net::new(nats, None);
    net.start_gateway();
    net.join();
    net.deliver(5);
    net.gateway_says("the stream takes no readings");
    net.add_collector();
    net.collector_says(0, "the stream delivers no readings");
    net.nats.up();
    net.is_complete();
    net.gateway_says("the stream takes readings");
    // It is said once, however often it was tried. That the stream is not there yet is another reason.
    let logs = net.logs();
    let said = logs.lines().filter(|line| {
        line.contains("the stream takes no readings") && line.contains("is unreachable")
    });
    assert_eq!(said.count(), 1, "{logs}");
    net.is_confirmed();
    net.nats.signal(Signal::STOP);
    net.deliver(5);
    // It may have acknowledged one before it stopped. Asked about that one, it "does not answer";
    // otherwise it "does not acknowledge readings".
    let said = net.gateway_says(" does not a");
    assert!(
        said.contains("hint") && said.contains("127.0.0.1"),
        "{said}"
    );
    net.nats.signal(Signal::CONT);
    net.is_complete();
    for _ in 0..2 {
        net.deliver(5);
        net.nats.kill();
        net.deliver(5);
        net.nats.up();
    }
    net.is_settled();
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let site = Site::new();
    let gateway = site.gateway(&["--stream", &format!("nats://{address}")]);
    let said = gateway.log.said("the stream takes no readings");
    assert!(
        said.contains("does not answer") && said.contains("hint"),
        "{said}"
    );
    let (code, _, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn what_the_server_acknowledged_and_lost_is_published_again() {
    let Some(mut net) = Net::started(None, 1) else {
        return;
    };
    net.deliver(3);
    net.is_settled();
    net.kill_collector(0);
    net.deliver(10);
    net.restart_gateway();
    net.nats.wait_messages(10);
    net.nats
        .operate(async |context| context.delete_stream(STREAM).await.expect("deleted"));
    net.start_collector(0);
    net.is_settled();
    net.gateway_says("publishing them again");
    // Every message is gone, and other readings have taken the places of the lost ones.
    net.kill_collector(0);
    net.deliver(10);
    net.restart_gateway();
    net.nats.wait_messages(10);
    net.nats.operate(async |context| {
        context.delete_stream(STREAM).await.expect("deleted");
        context.create_stream(stream(1 << 20)).await.expect("made");
        for number in 0..20 {
            let subject = format!("selo.farm.readings.{}", number % 4);
            let sent = context.publish(subject, "nonsense".into()).await;
            sent.expect("sent").await.expect("taken");
        }
    });
    net.start_collector(0);
    net.is_settled();
}

#[test]
fn a_full_stream_is_named_and_readings_wait_in_the_journal() {
    let Some(mut net) = Net::started(None, 0) else {
        return;
    };
    net.nats
        .operate(async |context| context.create_stream(stream(4096)).await.expect("made"));
    net.deliver(30);
    net.restart_gateway();
    let said = net.gateway_says("maximum bytes exceeded");
    assert!(
        said.contains("hint") && said.contains("max_bytes"),
        "{said}"
    );
    let url = net.nats.url();
    let words = ["--stream", &url, "--site", "farm"];
    let found = wait_for(&net.site, &words, |found| {
        of(found, "stream")[0]["state"] == "warning"
    });
    let problem = of(&found, "stream")[0]["problem"].as_str();
    assert!(problem.expect("one").contains("nearly full"), "{found:?}");
    assert!(undelivered(&found) > 0, "{found:?}");
    net.add_collector();
    net.is_settled();
    wait_for(&net.site, &words, |found| undelivered(found) == 0);
}

fn undelivered(found: &[serde_json::Value]) -> u64 {
    let figures = &of(found, "gateway")[0]["figures"];
    figures["undelivered_bytes"].as_u64().expect("a number")
}
