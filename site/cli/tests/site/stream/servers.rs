//! Several servers: the next one is taken when one fails.

use super::Net;
use super::server::Nats;

#[test]
fn the_next_server_is_taken_when_one_fails() {
    let (Some(first), Some(second)) = (Nats::start(), Nats::start()) else {
        return;
    };
    // They know nothing of each other, as if the first had lost all that it acknowledged.
    let mut servers = [Some(first), Some(second)];
    let urls: Vec<String> = servers.iter().flatten().map(Nats::url).collect();
    let names = urls
        .iter()
        .map(|url| url.trim_start_matches("nats://").to_owned());
    let names: Vec<String> = names.collect();
    let mut net = Net::new(servers[0].take().expect("runs"), None);
    net.options = [(); 2].map(|()| vec!["--stream".to_owned(), urls.join(",")]);
    net.add_collector();
    net.start_gateway();
    net.join();
    net.deliver(5);
    net.is_complete();
    for (number, other) in [(0, 1), (1, 0)] {
        net.nats.kill();
        net.deliver(5);
        let next = servers[other].take().expect("runs");
        servers[number] = Some(std::mem::replace(&mut net.nats, next));
        // The first that comes back has what it had.
        net.is_settled();
        let said = net.gateway_says(&format!("the NATS server {}", names[number]));
        assert!(said.contains("hint"), "{said}");
        // The gateway's log is JSON.
        let place = format!("readings\",\"server\":\"{}\"", names[other]);
        net.gateway_says(&format!("the stream takes {place}"));
        let place = format!("connected server={}", names[other]);
        net.collector_says(0, &format!("the stream is {place}"));
        servers[number].as_mut().expect("was stopped").up();
    }
    net.deliver(5);
    net.is_settled();
}

#[test]
fn servers_that_are_all_away_are_each_named_once() {
    let site = crate::gateway_support::Site::new();
    // Nobody listens on these ports: they are bound and not accepted from.
    let free = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").expect("a port"));
    let names = free
        .each_ref()
        .map(|it| it.local_addr().expect("bound").to_string());
    drop(free);
    let urls = names
        .each_ref()
        .map(|name| format!("nats://{name}"))
        .join(",");
    let gateway = site.gateway(&["--stream", &urls]);
    for name in &names {
        let said = gateway
            .log
            .said(&format!("the NATS server {name} is unreachable"));
        assert!(said.contains("hint"), "{said}");
    }
    // It goes on trying, and says no more.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let (code, _, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    for name in &names {
        let said = log
            .lines()
            .filter(|line| line.contains(name) && line.contains("unreachable"));
        assert_eq!(said.count(), 1, "{log}");
    }
}
