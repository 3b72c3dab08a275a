//! A test's own broker, and its clients.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use selo_mqtt::ClientConfig;

use super::{Gateway, Lines, Running, Site};

/// A site with a folder of `selo setup`, and a port for its broker.
pub struct Farm {
    pub site: Site,
    pub port: u16,
}

impl Farm {
    pub fn new() -> Farm {
        let site = Site::new();
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("bound").port();
        site.ok(&[
            "setup",
            "farm",
            "--site",
            "farm",
            "--listen",
            &format!("127.0.0.1:{port}"),
        ]);
        Farm { site, port }
    }

    pub fn broker(&self) -> Running {
        let listen = format!("127.0.0.1:{}", self.port);
        let broker = Running::start(&self.site, &["broker", "farm", "--listen", &listen]);
        broker.err.wait("the embedded broker is listening");
        broker
    }

    pub fn gateway(&self, more: &[&str]) -> Gateway {
        let arguments = self.with_broker("gateway", &["--site", "farm"]);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(more);
        self.site.gateway(&arguments)
    }

    /// Arguments for a client of the broker: this user's, and `more`.
    pub fn with_broker(&self, user: &str, more: &[&str]) -> Vec<String> {
        let broker = [
            "--mqtt".to_owned(),
            format!("mqtts://{user}@localhost:{}", self.port),
            "--mqtt-ca".to_owned(),
            "farm/ca.pem".to_owned(),
            "--mqtt-password-file".to_owned(),
            format!("farm/{user}.password"),
        ];
        let more = more.iter().map(|text| (*text).to_owned());
        broker.into_iter().chain(more).collect()
    }

    /// Starts Mosquitto's client, which prints topic and message of what it receives.
    pub fn viewer(&self) -> Viewer {
        let password = self.site.path().join("farm/viewer.password");
        let password = std::fs::read_to_string(password).expect("a password");
        let mut child = Command::new("mosquitto_sub")
            .args(["-h", "localhost", "-p", &self.port.to_string()])
            .args(["-V", "mqttv5", "-u", "viewer", "-P", password.trim()])
            .arg("--cafile")
            .arg(self.site.path().join("farm/ca.pem"))
            .args(["-t", "selo/#", "-F", "%t %p"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("mosquitto_sub starts");
        let said = Lines::of(child.stdout.take().expect("piped"));
        Viewer { child, said }
    }

    pub fn client(&self, user: &str) -> ClientConfig {
        let url = format!("mqtts://{user}@localhost:{}", self.port);
        let mut client = ClientConfig::new(url.parse().expect("an address"), user);
        let file = self.site.path().join(format!("farm/{user}.password"));
        client.password = Some(selo_mqtt::client::read_password(&file).expect("a password"));
        client.ca = Some(self.site.path().join("farm/ca.pem"));
        client
    }
}

/// A client that prints what it receives.
pub struct Viewer {
    child: Child,
    pub said: Lines,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
