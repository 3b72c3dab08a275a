//! A real nats-server with JetStream for one test, and a client of its operator.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use async_nats::ConnectOptions;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use async_nats::jetstream::{self, Context};

use crate::gateway_support::PATIENCE;
use crate::postgres::Machine;

pub const STREAM: &str = "selo-farm";

/// The stream of a site as the collector makes it, but of another size.
pub fn stream(max_bytes: i64) -> Config {
    Config {
        name: STREAM.into(),
        subjects: vec!["selo.farm.readings.*".into()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_bytes,
        ..Config::default()
    }
}

/// The server's program. `None` if it is not installed; CI requires it.
fn program() -> Option<PathBuf> {
    // Debian installs it in /usr/sbin, which is not on everyone's PATH. SELO_NATS_SERVER names
    // another version.
    if let Some(given) = std::env::var_os("SELO_NATS_SERVER").map(PathBuf::from) {
        assert!(given.is_file(), "SELO_NATS_SERVER: no {}", given.display());
        return Some(given);
    }
    let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].map(PathBuf::from);
    let found = places.into_iter().find(|it| it.exists());
    if found.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "nats-server is missing: apt-get install nats-server"
        );
        eprintln!("skipped: nats-server is not installed (apt-get install nats-server)");
    }
    found
}

/// Where a server listens.
struct Place {
    ip: Ipv4Addr,
    port: u16,
    /// Where it says over HTTP how it is.
    monitor: u16,
    /// The words before its command.
    under: Vec<String>,
    /// The authority that signed its certificate. Without one it speaks no TLS.
    ca: Option<PathBuf>,
}

impl Place {
    fn here() -> Place {
        let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [port, monitor] = free.map(|it| it.local_addr().expect("bound").port());
        Place {
            ip: Ipv4Addr::LOCALHOST,
            port,
            monitor,
            under: Vec::new(),
            ca: None,
        }
    }

    /// On a machine of its own, where TLS is needed. `keys` is the folder of a certificate.
    fn on(machine: &Machine, keys: &Path) -> Place {
        Place {
            ip: machine.address,
            port: 4222,
            monitor: 8222,
            under: machine.under.clone(),
            ca: Some(keys.join("ca.pem")),
        }
    }
}

pub struct Nats {
    folder: tempfile::TempDir,
    program: PathBuf,
    pub port: u16,
    place: Place,
    child: Option<Child>,
    runtime: tokio::runtime::Runtime,
}

impl Nats {
    /// Starts a server. `None` if it is not installed; CI requires it.
    pub fn start() -> Option<Nats> {
        Nats::configured("")
    }

    /// Major and minor number of its version.
    pub fn version() -> Option<(u32, u32)> {
        let said = Command::new(program()?).arg("--version").output().ok()?;
        let said = String::from_utf8(said.stdout).ok()?;
        let (_, version) = said.split_once(": v")?;
        let mut numbers = version.split('.').map_while(|number| number.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    }

    /// Starts servers that keep one stream together, with a copy at each.
    pub fn several(count: usize) -> Option<Vec<Nats>> {
        // All are bound at once, so that no two are equal.
        let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
        let free: Vec<TcpListener> = (0..count).map(|_| free()).collect();
        let address = |it: &TcpListener| it.local_addr().expect("bound");
        let routes: Vec<SocketAddr> = free.iter().map(address).collect();
        drop(free);
        let configured = |_, more: &str| Nats::configured(more);
        Nats::cluster(&routes, configured)
    }

    /// The same on machines of their own. One server is one without a cluster.
    pub fn several_on(machines: &[Machine], keys: &Path) -> Option<Vec<Nats>> {
        let tls = format!(
            "tls {{ cert_file: \"{0}/server.pem\", key_file: \"{0}/server.key\" }}\n",
            keys.display()
        );
        let start = |number: usize, more: &str| {
            let place = Place::on(&machines[number], keys);
            Nats::placed(place, &format!("{tls}{more}"))
        };
        if machines.len() == 1 {
            return Some(vec![start(0, "")?]);
        }
        let route = |machine: &Machine| SocketAddr::from((machine.address, 6222));
        let routes: Vec<SocketAddr> = machines.iter().map(route).collect();
        Nats::cluster(&routes, start)
    }

    fn cluster(
        routes: &[SocketAddr],
        start: impl Fn(usize, &str) -> Option<Nats>,
    ) -> Option<Vec<Nats>> {
        let count = routes.len();
        let urls: Vec<String> = routes.iter().map(|it| format!("nats://{it}")).collect();
        let urls = urls.join(", ");
        let configured = |(number, route): (usize, &SocketAddr)| {
            let more = format!(
                "server_name: nats-{number}\n\
                 cluster {{ name: selo, listen: \"{route}\", routes: [{urls}] }}"
            );
            start(number, &more)
        };
        let servers: Vec<Nats> = routes.iter().enumerate().map_while(configured).collect();
        let first = servers.first()?;
        let wanted = Config {
            num_replicas: count,
            duplicate_window: Duration::from_secs(120),
            ..stream(1 << 30)
        };
        let since = Instant::now();
        // They choose a leader first.
        while first
            .operate(async |context| context.create_stream(wanted.clone()).await)
            .is_err()
        {
            assert!(since.elapsed() < PATIENCE, "the servers make no stream");
            std::thread::sleep(Duration::from_millis(200));
        }
        Some(servers)
    }

    /// Starts a server with more lines in its configuration. `FOLDER` in them is its folder.
    pub fn configured(more: &str) -> Option<Nats> {
        Nats::placed(Place::here(), more)
    }

    fn placed(place: Place, more: &str) -> Option<Nats> {
        let program = program()?;
        let folder = tempfile::tempdir().expect("a folder");
        let mut nats = Nats {
            port: place.port,
            place,
            folder,
            program,
            child: None,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .expect("a runtime"),
        };
        let path = nats.folder.path().display().to_string();
        let Place {
            ip, port, monitor, ..
        } = nats.place;
        let config = format!(
            "listen: {ip}:{port}\nhttp: {ip}:{monitor}\n\
             jetstream {{ store_dir: \"{path}\" }}\n{}\n",
            more.replace("FOLDER", &path)
        );
        std::fs::write(nats.path("nats.conf"), config).expect("writes");
        nats.up();
        Some(nats)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn url(&self) -> String {
        let scheme = if self.place.ca.is_some() {
            "tls"
        } else {
            "nats"
        };
        format!("{scheme}://{}:{}", self.place.ip, self.port)
    }

    /// Its process, if it runs.
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// The address of its machine.
    pub fn ip(&self) -> Ipv4Addr {
        self.place.ip
    }

    /// Starts the server with the data that it has.
    pub fn up(&mut self) {
        let mut append = std::fs::File::options();
        let log = append.create(true).append(true).open(self.path("log"));
        let log = log.expect("a log");
        let before = log.metadata().expect("a file").len() as usize;
        let program = self.program.as_os_str();
        let words: Vec<&OsStr> = self.place.under.iter().map(OsStr::new).collect();
        let words = [&words[..], &[program]].concat();
        let child = Command::new(words[0])
            .args(&words[1..])
            .arg("-c")
            .arg(self.path("nats.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nats-server starts");
        self.child = Some(child);
        let since = Instant::now();
        loop {
            let said = std::fs::read_to_string(self.path("log")).unwrap_or_default();
            let said = said.get(before..).unwrap_or_default();
            if said.contains("Server is ready") {
                return;
            }
            assert!(
                since.elapsed() < PATIENCE,
                "nats-server does not start: {said}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            _ = child.kill();
            _ = child.wait();
        }
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(self.child.as_ref().expect("runs"));
        rustix::process::kill_process(pid, signal).expect("runs");
    }

    /// Does something as the operator of the server.
    pub fn operate<T>(&self, work: impl AsyncFnOnce(Context) -> T) -> T {
        self.runtime.block_on(async {
            let mut options = ConnectOptions::new();
            if let Some(ca) = &self.place.ca {
                options = options.add_root_certificates(ca.clone()).require_tls(true);
            }
            let client = options.connect(self.url()).await.expect("connects");
            work(jetstream::new(client)).await
        })
    }

    /// Number of messages in the stream.
    pub fn messages(&self) -> u64 {
        self.operate(async |context| {
            let stream = context.get_stream(STREAM).await.expect("a stream");
            stream.get_info().await.expect("its state").state.messages
        })
    }

    /// Removes all messages from the stream.
    pub fn empty(&self) {
        self.operate(async |context| {
            let stream = context.get_stream(STREAM).await.expect("a stream");
            stream.purge().await.expect("emptied");
        });
    }

    /// The contents of all messages in the stream.
    pub fn contents(&self) -> Vec<Vec<u8>> {
        self.operate(async |context| {
            let stream = context.get_stream(STREAM).await.expect("a stream");
            let mut contents = Vec::new();
            let mut next = 1;
            // Messages leave the stream in any order, so there are gaps.
            while let Ok(message) = stream
                .get_first_raw_message_by_subject("selo.farm.readings.*", next)
                .await
            {
                next = message.sequence + 1;
                contents.push(message.payload.to_vec());
            }
            contents
        })
    }

    /// What the server says of its streams and their consumers, as JSON.
    pub fn describe(&self) -> String {
        let url = format!(
            "http://{}:{}/jsz?consumers=1&raft=1",
            self.place.ip, self.place.monitor
        );
        let answer = ureq::get(&url).call();
        let text = answer.and_then(|mut answer| answer.body_mut().read_to_string());
        text.unwrap_or_else(|error| error.to_string())
    }

    /// Waits until the stream has this many messages.
    pub fn wait_messages(&self, wanted: u64) {
        let since = Instant::now();
        loop {
            let found = self.messages();
            if found == wanted {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "{found} messages, not {wanted}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}
