//! Machines on this machine: network namespaces with a router between them, which drops the packets of
//! the pairs that are cut. Nobody is told of a dropped packet, as if a cable had been pulled.
//!
//! A test that wants them runs its own program again in a namespace that becomes the router. As
//! root, or with user namespaces; where neither is allowed, there are none.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::gateway_support::PATIENCE;
use crate::postgres::Machine;

/// Set for the program that runs in the router.
const INSIDE: &str = "SELO_TEST_ROUTER";

/// Ways to a namespace in which this program may change the network.
const WAYS: [&[&str]; 2] = [
    &["--net"],
    &["--user", "--map-current-user", "--keep-caps", "--net"],
];

/// Where a test runs.
pub enum Where {
    /// In the router.
    Here(Network),
    /// In another process, which has ended. True if it ended well.
    Elsewhere(bool),
    /// Nowhere yet: this machine does not allow it, and this is why.
    Refused(String),
}

/// Runs the test of this name in a router, unless it is there already.
pub fn enter(test: &str) -> Where {
    if std::env::var_os(INSIDE).is_some() {
        // It must not outlive the process that waits for it.
        _ = set_parent_process_death_signal(Some(Signal::TERM));
        return Where::Here(Network::new());
    }
    let mut problem = String::new();
    for way in WAYS {
        match attempt(way) {
            Ok(()) => {
                let own = std::env::current_exe().expect("a running program has a path");
                let status = Command::new("unshare")
                    .args(way)
                    .arg(own)
                    .args(["--exact", test, "--include-ignored", "--nocapture"])
                    .env(INSIDE, "1")
                    .status();
                return Where::Elsewhere(status.is_ok_and(|status| status.success()));
            }
            Err(why) => problem = why,
        }
    }
    Where::Refused(problem)
}

/// Whether this machine allows a network of one's own.
fn attempt(way: &[&str]) -> Result<(), String> {
    // All that a network needs: devices, rules, another namespace, and forwarding.
    let script = "ip link add probe type veth peer name other && \
         ip rule add from 10.77.0.1 to 10.77.0.2 blackhole && \
         nsenter --net=/proc/self/ns/net true && unshare --net true && \
         echo 1 > /proc/sys/net/ipv4/ip_forward";
    let tried = Command::new("unshare")
        .args(way)
        .args(["sh", "-c", script])
        .output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(said.lines().last().unwrap_or("no reason given").into())
        }
        Err(error) => Err(format!("unshare: {error}")),
    }
}

/// A machine. It is gone when this is dropped.
#[derive(Debug)]
pub struct Host {
    pub address: Ipv4Addr,
    /// Holds the namespace: a process that waits for the end of its input.
    holder: Child,
}

impl Host {
    pub fn machine(&self) -> Machine {
        Machine {
            address: self.address,
            under: under(self.holder.id()),
        }
    }

    /// Does something on this machine: all sockets, threads and processes that it makes are there.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let path = format!("/proc/{}/ns/net", self.holder.id());
        let namespace = File::open(path).expect("a namespace");
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let kind = LinkNameSpaceType::Network;
                move_into_link_name_space(namespace.as_fd(), Some(kind)).expect("enters");
                work()
            });
            thread.join().expect("see above")
        })
    }
}

/// The words before a command that is to run where this process is.
fn under(process: u32) -> Vec<String> {
    vec!["nsenter".into(), format!("--net=/proc/{process}/ns/net")]
}

impl Drop for Host {
    fn drop(&mut self) {
        _ = self.holder.kill();
        _ = self.holder.wait();
    }
}

/// Pairs of a sender and a receiver.
pub type Pairs = Vec<(Ipv4Addr, Ipv4Addr)>;

/// The router, and the machines behind it.
#[derive(Debug)]
pub struct Network {
    hosts: u8,
}

impl Network {
    fn new() -> Network {
        std::fs::write("/proc/sys/net/ipv4/ip_forward", "1").expect("forwards");
        ip(std::process::id(), "link set lo up\n");
        Network { hosts: 0 }
    }

    /// A new machine.
    pub fn host(&mut self) -> Host {
        self.hosts += 1;
        let number = self.hosts;
        let mut holder = Command::new("unshare")
            .args(["--net", "sh", "-c", "echo there; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unshare runs");
        // It says so in its own namespace.
        let mut said = String::new();
        let output = holder.stdout.take().expect("piped");
        let read = BufReader::new(output).read_line(&mut said);
        assert!(read.is_ok_and(|read| read > 0), "no namespace");
        let host = Host {
            address: Ipv4Addr::new(10, 77, number, 2),
            holder,
        };
        let router = Ipv4Addr::new(10, 77, number, 1);
        let process = host.holder.id();
        ip(
            std::process::id(),
            &format!(
                "link add to{number} type veth peer name eth0 netns {process}\n\
                 address add {router}/30 dev to{number}\n\
                 link set to{number} up\n"
            ),
        );
        ip(
            process,
            &format!(
                "link set lo up\n\
                 address add {}/30 dev eth0\n\
                 link set eth0 up\n\
                 route add default via {router}\n",
                host.address
            ),
        );
        host
    }
}

/// Both directions between two machines.
pub fn between(one: Ipv4Addr, other: Ipv4Addr) -> Pairs {
    vec![(one, other), (other, one)]
}

/// Runs a test with a network. Where none is allowed it says so, and the test is left out.
pub fn with(test: &str, work: impl FnOnce(Network)) {
    match enter(test) {
        Where::Here(network) => work(network),
        Where::Elsewhere(is_good) => assert!(is_good, "see above"),
        Where::Refused(why) => {
            eprintln!("skipped: this machine allows no network namespaces ({why})");
        }
    }
}

/// Drops all packets of these pairs from now on.
pub fn cut(pairs: &Pairs) {
    rules("add", pairs);
}

/// Lets them pass again.
pub fn restore(pairs: &Pairs) {
    rules("del", pairs);
}

fn rules(what: &str, pairs: &Pairs) {
    if pairs.is_empty() {
        return;
    }
    let rule =
        |(from, to): &(Ipv4Addr, Ipv4Addr)| format!("rule {what} from {from} to {to} blackhole\n");
    ip(
        std::process::id(),
        &pairs.iter().map(rule).collect::<String>(),
    );
}

/// Runs commands of `ip` where this process is. The first thread of this one stays in the router.
fn ip(process: u32, commands: &str) {
    let words = under(process);
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .args(["ip", "-batch", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("ip runs");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(commands.as_bytes()).expect("writes");
    drop(input);
    let status = child.wait().expect("waits");
    assert!(status.success(), "ip: {commands}");
}

/// One hears another one, and is told nothing when the pair is cut in this direction.
#[test]
fn a_pair_that_is_cut_hears_nothing_in_that_direction() {
    const NAME: &str = "network::a_pair_that_is_cut_hears_nothing_in_that_direction";
    with(NAME, |mut network| {
        let hosts = [network.host(), network.host()];
        let socket =
            |host: &Host| host.within(|| UdpSocket::bind((host.address, 9)).expect("binds"));
        let sockets = hosts.each_ref().map(socket);
        // What must pass may be late on a busy machine.
        let check = |from: usize, is_open: bool| {
            let to = 1 - from;
            let wait = if is_open {
                PATIENCE
            } else {
                Duration::from_millis(300)
            };
            sockets[to].set_read_timeout(Some(wait)).expect("sets");
            let sent = sockets[from].send_to(b"x", (hosts[to].address, 9));
            assert_eq!(sent.ok(), Some(1), "the sender is told nothing");
            let heard = sockets[to].recv(&mut [0; 8]).is_ok();
            assert_eq!(heard, is_open, "from {from} to {to}");
        };
        let check_both = |open: [bool; 2]| (0..).zip(open).for_each(|(from, is)| check(from, is));
        check_both([true, true]);
        let one = vec![(hosts[0].address, hosts[1].address)];
        cut(&one);
        check_both([false, true]);
        restore(&one);
        check_both([true, true]);
        let both = between(hosts[0].address, hosts[1].address);
        cut(&both);
        check_both([false, false]);
        restore(&both);
        check_both([true, true]);
    });
}
