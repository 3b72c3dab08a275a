//! Certificates and passwords that are expired or wrong.

use super::Chain;
use super::clocks::SetClock;
use crate::gateway_support::Running;

#[test]
fn an_expired_certificate_is_named_and_the_readings_wait() {
    let mut chain = Chain::new(None);
    let Some(clock) = SetClock::of(&mut chain) else {
        return;
    };
    chain.start_broker();
    chain.start_collector();
    clock.set("+30y");
    chain.start_gateway();
    let said = chain.gateway_says("the broker is unreachable");
    assert!(
        said.contains("has expired") && said.contains("renew it"),
        "{said}"
    );
    chain.join();
    chain.deliver(5);
    clock.set("+0");
    chain.gateway_says("connected to the broker");
    chain.deliver(5);
    chain.is_complete();
}

#[test]
fn a_certificate_is_warned_of_before_it_expires_and_read_again_when_asked() {
    let mut chain = Chain::new(None);
    let Some(clock) = SetClock::of(&mut chain) else {
        return;
    };
    // The certificate is valid for 397 days, and the dashboard uses it too. Without the authority's
    // key no program renews it.
    let authority = chain.farm.site.path().join("farm/ca.key");
    std::fs::remove_file(authority).expect("removes");
    // 377 days less an hour, so that the test's own duration does not matter.
    clock.set("+9047h");
    chain.start_broker();
    let broker = chain.broker.as_ref().expect("runs");
    let said = broker.err.said("expires soon");
    assert!(
        said.contains("farm/server.pem") && said.contains("days=20"),
        "{said}"
    );
    let arguments = chain
        .farm
        .with_broker("collector", &["--http", "127.0.0.1:0"]);
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.insert(0, "collect");
    arguments.extend(["--tls-cert", "farm/server.pem"]);
    arguments.extend(["--tls-key", "farm/server.key"]);
    let collector = Running::start(&chain.farm.site, &arguments);
    let said = collector.err.said("expires soon");
    assert!(
        said.contains("farm/server.pem") && said.contains("hint"),
        "{said}"
    );
    collector.err.said("listening on");
    let process = rustix::process::Pid::from_child(&collector.child);
    let ask = || {
        rustix::process::kill_process(process, rustix::process::Signal::HUP).expect("runs");
    };
    ask();
    collector.err.said("the certificate was reloaded");
    // An invalid key changes nothing, and the collector continues.
    let key = chain.farm.site.path().join("farm/server.key");
    std::fs::write(&key, "no key").expect("writes");
    ask();
    let said = collector.err.said("the old certificate stays in use");
    assert!(said.contains("server.key"), "{said}");
    collector.interrupt();
    assert_eq!(collector.wait().0, Some(0));
}

#[test]
fn a_wrong_password_is_named_and_the_readings_wait() {
    let mut chain = Chain::new(None);
    chain.start_broker();
    chain.start_collector();
    let file = chain.farm.site.path().join("farm/gateway.password");
    let right = std::fs::read(&file).expect("there");
    std::fs::write(&file, b"another\n").expect("writes");
    chain.start_gateway();
    let said = chain.gateway_says("the broker is unreachable");
    assert!(
        said.contains("wrong name or password") && said.contains("--mqtt-password-file"),
        "{said}"
    );
    chain.join();
    chain.deliver(5);
    std::fs::write(&file, right).expect("writes");
    chain.gateway.take().expect("runs").kill();
    chain.start_gateway();
    chain.deliver(5);
    chain.is_complete();
}
