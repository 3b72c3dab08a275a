//! Performs docs/operator/README.md: runs its commands on free ports, with a node of the device
//! library as the station, and looks for the lines that the page shows. Blocks marked `machine`
//! change the machine (packages, services) and are not performed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::gateway_support::{CNode, Lines, PATIENCE, Site, blocks};
use selo_sys::node::Suite;

/// `selo up` as the page starts it.
pub struct Up {
    child: std::process::Child,
    log: Lines,
    dashboard: u16,
    pub nodes: std::net::SocketAddr,
}

impl Up {
    pub fn start(command: &mut Command) -> Up {
        let free = "127.0.0.1:0";
        let mut child = command
            .args(["--http", free, "--listen", free, "--broker", free])
            .arg("--json-log")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let log = Lines::of(child.stderr.take().expect("piped"));
        let field = |line: String, name: &str| -> String {
            let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            line[name].as_str().expect("text").to_owned()
        };
        let nodes = field(log.wait("the gateway listens"), "listen");
        let dashboard = field(log.wait("everything is up"), "dashboard");
        assert!(dashboard.starts_with("https://"), "{dashboard}");
        let port = dashboard.rsplit(':').next().expect("a port");
        Up {
            child,
            log,
            dashboard: port.parse().expect("a port"),
            nodes: nodes.parse().expect("an address"),
        }
    }

    pub fn stop(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("runs");
        assert!(self.child.wait().expect("ends").success());
        self.log.rest();
        self.log.all()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a line of the page in a shell. Returns the output of both streams.
fn shell(site: &Site, line: &str) -> String {
    let binary = crate::gateway_support::program("selo");
    let folder = binary.parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-ec", line])
        .current_dir(site.path())
        .env("PATH", format!("{folder}:{path}"))
        .env("XDG_CONFIG_HOME", site.path())
        .env_remove("SELO_STATE")
        .env_remove("SELO_PROJECT")
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {said}");
    said
}

#[test]
fn the_page_can_be_followed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operator/README.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let site = Site::new();
    let mut up = None;
    let mut said = String::new();
    let mut performed = 0;
    for (info, lines) in blocks(&page) {
        match info.as_str() {
            "toml selo.toml" => {
                site.file("selo.toml", (lines.join("\n") + "\n").as_bytes());
            }
            "sh background" => {
                let words: Vec<&str> = lines[0].split_whitespace().skip(1).collect();
                let mut command = site.command(&words);
                command.env_remove("SELO_STATE");
                up = Some(Up::start(&mut command));
            }
            "sh station" => {
                let line = &lines[0];
                let shown: serde_json::Value =
                    serde_json::from_str(&shell(&site, line)).expect("JSON");
                let label = shown["label"].as_str().expect("a label");
                let key = selo_gateway::label::parse_key_file(label.as_bytes()).expect("a label");
                let id = u32::from_str_radix(label.split(':').nth(2).expect("an id"), 16);
                let device = (id.expect("an id"), *key.key.expose());
                let nodes = up.as_ref().expect("started").nodes;
                let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, nodes, device);
                node.join();
                node.deliver(&[0; 16]);
                performed += 1;
            }
            "sh" => {
                said.clear();
                for line in &lines {
                    let mut line = line.clone();
                    if let Some(up) = &up {
                        line = line.replace(":7380", &format!(":{}", up.dashboard));
                    }
                    said += &shell(&site, &line);
                    performed += 1;
                }
            }
            "sh stopped" => {
                up.take().expect("started").stop();
                said = lines.iter().map(|line| shell(&site, line)).collect();
                performed += lines.len();
            }
            "expect" => {
                for line in &lines {
                    assert!(said.contains(line.as_str()), "{line:?} is not in:\n{said}");
                }
            }
            "machine" | "toml" => {}
            info => panic!("unknown kind of block '{info}'"),
        }
    }
    assert!(performed > 12, "the page performs {performed} lines");
}

#[test]
fn the_configurations_that_pages_show_are_good() {
    let site = Site::new();
    for page in ["operator/README.md", "operator/raspberry-pi.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs")
            .join(page);
        let text = std::fs::read_to_string(path).expect("the page");
        let mut found = 0;
        for (info, lines) in blocks(&text) {
            if info.starts_with("toml") {
                site.file("shown.toml", lines.join("\n").as_bytes());
                shell(&site, "selo config check shown.toml");
                found += 1;
            }
        }
        assert!(found > 0, "{page}");
    }
}

#[test]
fn a_service_manager_is_told() {
    let site = Site::new();
    let path = site.path().join("notify");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).expect("binds");
    socket.set_read_timeout(Some(PATIENCE)).expect("set");
    let mut child = site
        .command(&["gateway", "--listen", "127.0.0.1:0"])
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "300000")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let hear = || {
        let mut buffer = [0; 64];
        let size = socket.recv(&mut buffer).expect("a message");
        String::from_utf8_lossy(&buffer[..size]).into_owned()
    };
    assert_eq!(hear(), "READY=1");
    assert_eq!(hear(), "WATCHDOG=1");
    assert_eq!(hear(), "WATCHDOG=1");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("runs");
    loop {
        match hear().as_str() {
            "WATCHDOG=1" => {}
            last => {
                assert_eq!(last, "STOPPING=1");
                break;
            }
        }
    }
    assert!(child.wait().expect("ends").success());
    let log = BufReader::new(child.stderr.take().expect("piped"));
    assert!(log.lines().count() > 0);
}
