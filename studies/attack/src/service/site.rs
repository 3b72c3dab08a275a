//! A site in a temporary folder: the programs under attack, their users and passwords.

use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::Result;
use super::case::{Findings, Service, setup};
use super::http::{Answer, Request};
use super::mqtt::Login;
use super::program::Program;
use super::wire::{Door, HONEST, PATIENCE};

/// The site's name.
pub const SITE: &str = "farm";

/// The folder, and the programs that run in it.
#[derive(Debug)]
pub struct Site {
    folder: tempfile::TempDir,
    selo: PathBuf,
    /// Wrapper program and arguments before the command, and environment variables.
    under: Vec<String>,
    environment: Vec<(String, String)>,
    /// The state directory as this process sees it.
    view: Option<PathBuf>,
    broker_port: u16,
    http_port: u16,
    udp_port: u16,
    /// The programs by service.
    programs: Vec<(Service, Program)>,
}

fn free_tcp() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

fn free_udp() -> io::Result<u16> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(socket.local_addr()?.port())
}

impl Site {
    /// Creates a site without running programs.
    pub fn new(selo: &Path) -> Result<Site> {
        let folder = tempfile::Builder::new().prefix("selo-abuse-").tempdir()?;
        Ok(Site {
            folder,
            selo: selo.into(),
            under: Vec::new(),
            environment: Vec::new(),
            view: None,
            broker_port: free_tcp()?,
            http_port: free_tcp()?,
            udp_port: free_udp()?,
            programs: Vec::new(),
        })
    }

    /// Creates a site with these programs running.
    pub fn with(selo: &Path, services: &[Service]) -> Result<Site> {
        let mut site = Site::new(selo)?;
        for service in services {
            site.start(*service)?;
        }
        Ok(site)
    }

    /// From now on, runs the command under this wrapper program with its arguments.
    pub fn run_under(&mut self, words: &[&str]) {
        self.under = words.iter().map(|word| (*word).to_owned()).collect();
    }

    /// From now on, sets these environment variables.
    pub fn environment(&mut self, variables: &[(&str, &str)]) {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        self.environment = variables.iter().map(owned).collect();
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The state directory.
    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    /// Sets the path of the state directory as this process sees it, for a disk that is visible
    /// only to the programs.
    pub fn look_at(&mut self, state: &Path) {
        self.view = Some(state.into());
    }

    /// The state directory as this process sees it.
    pub fn state_as_seen(&self) -> PathBuf {
        self.view.clone().unwrap_or_else(|| self.state())
    }

    /// Port of the dashboard, or of a gateway's metrics.
    pub fn http_port(&self) -> u16 {
        self.http_port
    }

    /// Port to which nodes send.
    pub fn udp_port(&self) -> u16 {
        self.udp_port
    }

    /// The command with arguments.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = match self.under.split_first() {
            None => Command::new(&self.selo),
            Some((under, rest)) => {
                let mut command = Command::new(under);
                command.args(rest).arg(&self.selo);
                command
            }
        };
        let variables = self.environment.iter().map(|(name, value)| (name, value));
        command
            .args(words)
            .current_dir(self.path())
            .envs(variables)
            .env("SELO_STATE", self.state_as_seen())
            .env_remove("SELO_CONFIG");
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, words: &[&str], input: &str) -> Result<Output> {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            io::Write::write_all(&mut stdin, input.as_bytes())?;
        }
        Ok(child.wait_with_output()?)
    }

    /// Runs a command that must succeed. Returns its output.
    pub fn ok(&self, words: &[&str]) -> Result<String> {
        let output = self.run(words, "")?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        setup(format!("selo {} failed: {said}", words.join(" ")))
    }

    /// Starts a service, and waits until it is ready.
    pub fn start(&mut self, service: Service) -> Result<()> {
        let (words, ready) = match service {
            Service::Broker => {
                let listen = format!("127.0.0.1:{}", self.broker_port);
                if !self.farm().exists() {
                    self.ok(&["setup", "farm", "--site", SITE, "--listen", &listen])?;
                }
                let words = format!("broker farm --listen {listen}");
                (words, "the embedded broker is listening")
            }
            Service::Collector => {
                let mut words = format!("collect --http 127.0.0.1:{}", self.http_port);
                if self.farm().exists() {
                    words += &format!(
                        " --tls-cert farm/server.pem --tls-key farm/server.key --mqtt \
                         mqtts://collector@localhost:{} --mqtt-ca farm/ca.pem \
                         --mqtt-password-file farm/collector.password",
                        self.broker_port
                    );
                }
                (words, "listening on")
            }
            Service::Gateway => {
                let words = format!(
                    "gateway --listen 127.0.0.1:{} --metrics 127.0.0.1:{}",
                    self.udp_port, self.http_port
                );
                (words, "the gateway listens")
            }
            Service::Site => {
                let words = format!(
                    "up --http 127.0.0.1:{} --broker 127.0.0.1:{} --listen 127.0.0.1:{} --site \
                     {SITE}",
                    self.http_port, self.broker_port, self.udp_port
                );
                (words, "everything is up")
            }
        };
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut program = Program::start(self.command(&words), self.path(), service.name())?;
        program.wait_log(ready)?;
        self.programs.push((service, program));
        Ok(())
    }

    /// A running service.
    pub fn program(&mut self, service: Service) -> Result<&mut Program> {
        let found = self.programs.iter_mut().find(|(of, _)| *of == service);
        match found {
            Some((_, program)) => Ok(program),
            None => setup(format!("the {service} is not running")),
        }
    }

    /// Stops a service.
    pub fn stop(&mut self, service: Service, how: impl Fn(&mut Program)) -> Result<()> {
        how(self.program(service)?);
        let path = self.path().join(format!("{}.log", service.name()));
        // The next start waits for its own log lines.
        std::fs::write(path, "")?;
        self.programs.retain(|(of, _)| *of != service);
        Ok(())
    }

    fn farm(&self) -> PathBuf {
        self.path().join("farm")
    }

    /// The folder with the broker's certificate and passwords.
    fn broker_folder(&self) -> PathBuf {
        if self.farm().exists() {
            self.farm()
        } else {
            self.state_as_seen().join("broker")
        }
    }

    /// The broker's listener.
    pub fn mqtt(&self) -> Result<Door> {
        Door::tls(self.broker_port, &self.broker_folder().join("ca.pem"))
    }

    /// The collector's listener: TLS if there is a broker, else plain.
    pub fn http(&self) -> Result<Door> {
        if self.farm().exists() {
            Door::tls(self.http_port, &self.farm().join("ca.pem"))
        } else {
            Ok(Door::plain(self.http_port))
        }
    }

    /// A broker user with this client id.
    pub fn login(&self, user: &str, client: &str) -> Result<Login> {
        let file = self.broker_folder().join(format!("{user}.password"));
        Ok(Login {
            client: client.into(),
            user: user.into(),
            password: std::fs::read_to_string(file)?.trim_end().into(),
            keep: 0,
        })
    }

    /// The password of the dashboard's first user.
    pub fn admin_password(&self) -> Result<String> {
        let file = self.state_as_seen().join("collector/admin-password");
        Ok(std::fs::read_to_string(file)?.trim_end().into())
    }

    /// Logs in at the dashboard. Returns the header line with the cookie.
    pub fn operator(&self, user: &str, password: &str) -> Result<String> {
        let answer = self.try_login(HONEST, user, password)?;
        match answer.cookie() {
            Some(cookie) => Ok(format!("Cookie: {cookie}")),
            None => setup(format!("the login got status {}", answer.status)),
        }
    }

    /// One login attempt.
    pub fn try_login(&self, from: Ipv4Addr, user: &str, password: &str) -> io::Result<Answer> {
        let door = self.http().map_err(io::Error::other)?;
        let body = serde_json::json!({"user": user, "password": password}).to_string();
        Request::post("/api/v1/login", body.as_bytes()).ask(&door, from)
    }

    /// The admin's cookie.
    pub fn admin(&self) -> Result<String> {
        self.operator("admin", &self.admin_password()?)
    }

    /// Creates a token. Returns its id and the header line with it. A token for readings is
    /// limited to one station of this site, if the collector supports that.
    pub fn token(
        &self,
        admin: &str,
        name: &str,
        role: &str,
        station: &str,
    ) -> Result<(String, String)> {
        let plain = serde_json::json!({"name": name, "role": role});
        let scoped = serde_json::json!({
            "name": name, "role": role, "site": SITE, "stations": [station],
        });
        let door = self.http()?;
        let orders = if role == "device" {
            [&scoped, &plain]
        } else {
            [&plain, &plain]
        };
        let mut last = 0;
        for body in orders {
            let body = body.to_string();
            let request = Request::post("/api/v1/tokens", body.as_bytes()).with(admin);
            let answer = request.ask(&door, HONEST)?;
            last = answer.status;
            if let (Some(id), Some(token)) = (answer.field("id"), answer.field("token")) {
                return Ok((id, format!("Authorization: Bearer {token}")));
            }
        }
        setup(format!("the token request got status {last}"))
    }

    /// Number of stored readings by the export, of one station or of all.
    pub fn stored(&self, admin: &str, station: Option<&str>) -> Result<u64> {
        let of = station.map_or(String::new(), |device| format!("&device={device}"));
        let path = format!(
            "/api/v1/export?format=csv&from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z{of}"
        );
        let answer = Request::get(&path).with(admin).ask(&self.http()?, HONEST)?;
        // A station that never sent anything is unknown.
        if answer.status == 404 && station.is_some() {
            return Ok(0);
        }
        if answer.status != 200 {
            return setup(format!("the export got status {}", answer.status));
        }
        Ok(answer.text().lines().count().saturating_sub(1) as u64)
    }

    /// Waits until the database has at least this many readings. Returns their number.
    pub fn wait_stored(&self, admin: &str, wanted: u64) -> Result<u64> {
        let since = Instant::now();
        loop {
            let stored = self.stored(admin, None)?;
            if stored >= wanted || since.elapsed() > PATIENCE {
                return Ok(stored);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Reports each service's peak use, and compares it with its unit file.
    pub fn check_limits(&mut self, findings: &mut Findings) {
        for (service, program) in &mut self.programs {
            let (peak, threads) = (program.peak_memory(), program.threads());
            findings.expect(!program.has_ended(), format!("the {service} ended"));
            let (memory, tasks) = (service.memory_max(), service.tasks_max());
            let mebibytes = |bytes: u64| bytes >> 20;
            findings.note(format!("{service} {} MiB", mebibytes(peak)));
            findings.figure(peak_name(*service), peak as f64);
            findings.expect(
                peak <= memory,
                format!("{service}: over its unit's {} MiB", mebibytes(memory)),
            );
            findings.expect(
                threads <= tasks,
                format!("{service}: {threads} threads, its unit allows {tasks}"),
            );
        }
    }
}

const fn peak_name(service: Service) -> &'static str {
    match service {
        Service::Broker => "peak memory of the broker, bytes",
        Service::Collector => "peak memory of the collector, bytes",
        Service::Gateway => "peak memory of the gateway, bytes",
        Service::Site => "peak memory of the site, bytes",
    }
}
