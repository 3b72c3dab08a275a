//! A real nats-server with JetStream for one test, and a client of its operator.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, Context};

use crate::gateway_support::PATIENCE;

pub const STREAM: &str = "selo-farm";

pub struct Nats {
    folder: tempfile::TempDir,
    program: PathBuf,
    pub port: u16,
    child: Option<Child>,
    runtime: tokio::runtime::Runtime,
}

impl Nats {
    /// Starts a server. `None` if it is not installed; CI requires it.
    pub fn start() -> Option<Nats> {
        Nats::configured("")
    }

    /// Starts a server with more lines in its configuration. `FOLDER` in them is its folder.
    pub fn configured(more: &str) -> Option<Nats> {
        // Debian installs it in /usr/sbin, which is not on everyone's PATH.
        let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server"];
        let Some(program) = places.into_iter().find(|it| Path::new(it).exists()) else {
            assert!(
                std::env::var_os("CI").is_none(),
                "nats-server is missing: apt-get install nats-server"
            );
            eprintln!("skipped: nats-server is not installed (apt-get install nats-server)");
            return None;
        };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let folder = tempfile::tempdir().expect("a folder");
        let mut nats = Nats {
            port: listener.local_addr().expect("bound").port(),
            folder,
            program: program.into(),
            child: None,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .expect("a runtime"),
        };
        drop(listener);
        let path = nats.folder.path().display().to_string();
        let config = format!(
            "listen: 127.0.0.1:{}\njetstream {{ store_dir: \"{path}\" }}\n{}\n",
            nats.port,
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
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts the server with the data that it has.
    pub fn up(&mut self) {
        let log = std::fs::File::create(self.path("log")).expect("a log");
        let child = Command::new(&self.program)
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
            let client = async_nats::connect(self.url()).await.expect("connects");
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
