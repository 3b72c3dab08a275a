//! A PostgreSQL cluster for one test, in a temporary directory and reached over a Unix socket
//! there. PostgreSQL refuses to run as root, so it then runs as the user postgres.

use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A machine of a test, which has a network of its own.
#[derive(Debug, Clone)]
pub struct Machine {
    pub address: Ipv4Addr,
    /// The words before a command that is to run there.
    pub under: Vec<String>,
}

#[derive(Debug)]
pub struct Cluster {
    folder: tempfile::TempDir,
    bin: PathBuf,
    /// Where it runs. Others then reach it by this machine's address.
    pub machine: Option<Machine>,
    /// TCP port on which it listens in addition to its socket.
    port: Option<u16>,
    tls: bool,
}

/// Directory in which Debian installs the newest version's programs, if there is one.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut bins: Vec<PathBuf> = versions
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|bin| bin.join("pg_ctl").exists())
        .collect();
    bins.sort();
    bins.pop()
}

fn id(what: &str) -> u32 {
    let output = Command::new("id")
        .args([what, "postgres"])
        .output()
        .expect("id runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().expect("there is a user postgres")
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id runs");
    output.stdout == b"0\n"
}

/// Copies a folder with its owner.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp")
        .arg("-a")
        .args([from, to])
        .status()
        .expect("cp runs");
    assert!(status.success(), "cp {} {}", from.display(), to.display());
}

impl Cluster {
    /// Starts a cluster. Returns `None` if PostgreSQL is not installed; CI requires it.
    pub fn start() -> Option<Cluster> {
        Cluster::start_on(None)
    }

    /// Starts a cluster on a machine of its own.
    pub fn start_on(machine: Option<Machine>) -> Option<Cluster> {
        let Some(bin) = programs() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "PostgreSQL is missing: apt-get install postgresql"
            );
            eprintln!("skipped: PostgreSQL is not installed (apt-get install postgresql)");
            return None;
        };
        let mut cluster = Cluster::empty(bin);
        cluster.fill();
        if machine.is_some() {
            // Who may connect; it trusts loopback only.
            let path = cluster.data().join("pg_hba.conf");
            let mut rules = std::fs::read_to_string(&path).expect("rules");
            rules += "host all,replication all 10.77.0.0/16 trust\n";
            std::fs::write(&path, rules).expect("writes");
        }
        cluster.machine = machine;
        cluster.up();
        Some(cluster)
    }

    /// A cluster without data.
    fn empty(bin: PathBuf) -> Cluster {
        let folder = tempfile::Builder::new()
            .prefix("selo-pg")
            .tempdir_in("/tmp")
            .expect("a folder");
        if is_root() {
            std::os::unix::fs::chown(folder.path(), Some(id("-u")), Some(id("-g")))
                .expect("given to postgres");
        }
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700))
            .expect("closed");
        Cluster {
            folder,
            bin,
            machine: None,
            port: None,
            tls: false,
        }
    }

    /// Copies the data of a cluster that was made once for all tests: making one takes as much of the
    /// processor as most tests.
    fn fill(&self) {
        let version = self
            .bin
            .parent()
            .and_then(Path::file_name)
            .expect("a version");
        let made = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("postgresql")
            .join(version);
        if !made.exists() {
            let new = Cluster::empty(self.bin.clone());
            let data = new.data();
            let data = data.to_str().expect("text");
            new.run(
                "initdb",
                &[
                    "-D",
                    data,
                    "-A",
                    "trust",
                    "-U",
                    "postgres",
                    "-N",
                    "-E",
                    "UTF8",
                    "--wal-segsize",
                    "1",
                ],
            );
            std::fs::create_dir_all(made.parent().expect("a folder")).expect("a folder");
            let own = made.with_extension(std::process::id().to_string());
            copy(&new.data(), &own);
            // Another test may have been faster. Then its cluster stays.
            if std::fs::rename(&own, &made).is_err() {
                let _ = std::fs::remove_dir_all(&own);
            }
        }
        copy(&made, &self.data());
    }

    /// Starts a standby, and from now on commits only what it has too.
    pub fn standby(&self) -> Cluster {
        self.standby_on(None)
    }

    /// The same on a machine of its own.
    pub fn standby_on(&self, machine: Option<Machine>) -> Cluster {
        let mut standby = Cluster::empty(self.bin.clone());
        standby.machine = machine;
        standby.follow(self);
        standby
    }

    /// Becomes the standby of a server, with a new copy of its data. The server from now on commits
    /// only what its standby has too.
    pub fn follow(&self, server: &Cluster) {
        let data = self.data();
        let _ = std::fs::remove_dir_all(&data);
        let (data, from) = (data.to_str().expect("text"), server.host());
        let copy = [
            "-D", data, "-h", &from, "-U", "postgres", "-R", "-C", "-S", "standby", "-c", "fast",
        ];
        self.run("pg_basebackup", &copy);
        self.up();
        server.psql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        server.psql("SELECT pg_reload_conf()");
        let is_synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        let since = std::time::Instant::now();
        while server.psql(is_synchronous) != "1" {
            let waited = since.elapsed().as_secs();
            assert!(waited < 60, "the standby does not follow");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// Its first process, if it runs.
    pub fn process(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    /// Sends a signal to all its processes: it hangs, or goes on.
    pub fn signal(&self, signal: &str) {
        let first = self.process().expect("it runs").to_string();
        // The first process starts others, so it stops before them and goes on after them.
        let signal = format!("-{signal}");
        for (program, arguments) in [
            ("kill", &[&*signal, &first][..]),
            ("pkill", &[&*signal, "-P", &first]),
        ] {
            let status = Command::new(program).args(arguments).status();
            let status = status.expect("runs");
            assert!(status.success(), "{program} {arguments:?}: {status}");
        }
    }

    /// Makes a standby the server, after the first one is gone.
    pub fn promote(&self) {
        let data = self.data();
        let data = data.to_str().expect("text");
        self.run("pg_ctl", &["-D", data, "-w", "promote"]);
    }

    /// Starts a cluster that offers TLS on a local port.
    pub fn start_with_tls(certificate: &Path, key: &Path) -> Option<Cluster> {
        let mut cluster = Cluster::start()?;
        cluster.kill();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        cluster.port = Some(listener.local_addr().expect("bound").port());
        drop(listener);
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = cluster.data().join(name);
            std::fs::copy(from, &to).expect("copies");
            if is_root() {
                std::os::unix::fs::chown(&to, Some(id("-u")), Some(id("-g"))).expect("given");
            }
        }
        cluster.tls = true;
        cluster.up();
        Some(cluster)
    }

    /// Restarts it with the same data and without TLS.
    pub fn without_tls(&self) {
        self.kill();
        self.up_with("off");
    }

    /// Runs SQL as the operator of the database, and returns its output.
    pub fn psql(&self, sql: &str) -> String {
        let output = Command::new("psql")
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, &self.url()])
            .output()
            .expect("psql runs");
        assert!(output.status.success(), "{sql}: {output:?}");
        String::from_utf8(output.stdout)
            .expect("text")
            .trim()
            .into()
    }

    pub fn port(&self) -> u16 {
        self.port.expect("started with a port")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// Its Unix socket.
    pub fn unix_socket(&self) -> PathBuf {
        let port = self.port.unwrap_or(5432);
        self.socket().join(format!(".s.PGSQL.{port}"))
    }

    /// What it said.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.bin.join(program);
        let command = match &self.machine {
            None => {
                let mut command = Command::new(&program);
                if is_root() {
                    command.gid(id("-g")).uid(id("-u"));
                }
                command
            }
            // Only root may enter its network.
            Some(Machine { under, .. }) => {
                let mut command = Command::new(&under[0]);
                command.args(&under[1..]);
                if is_root() {
                    let (user, group) = (id("-u").to_string(), id("-g").to_string());
                    command.args(["--setuid", &user, "--setgid", &group]);
                }
                command.arg("--").arg(&program);
                command
            }
        };
        Self::run_as(command, &program, arguments);
    }

    fn run_as(mut command: Command, program: &Path, arguments: &[&str]) {
        command
            .args(arguments)
            .current_dir("/tmp")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = command.status().expect("runs");
        assert!(
            status.success(),
            "{} {arguments:?}: {status}",
            program.display()
        );
    }

    pub fn up(&self) {
        self.up_with(if self.tls { "on" } else { "off" });
    }

    fn up_with(&self, ssl: &str) {
        // Tests kill PostgreSQL, but not the machine, whose disk would lose what is not synchronised.
        let mut options = format!("-k {} -c fsync=off -c ssl={ssl}", self.socket().display());
        match (self.port, &self.machine) {
            (Some(port), _) => options += &format!(" -c listen_addresses=localhost -p {port}"),
            (None, Some(machine)) => {
                options += &format!(" -c listen_addresses={}", machine.address);
            }
            (None, None) => options += " -c listen_addresses=",
        }
        let log = self.log();
        self.run(
            "pg_ctl",
            &[
                "-D",
                self.data().to_str().expect("text"),
                "-o",
                &options,
                "-l",
                log.to_str().expect("text"),
                "-w",
                "start",
            ],
        );
    }

    /// Kills it, as a power failure would.
    pub fn kill(&self) {
        let data = self.data();
        let data = data.to_str().expect("text");
        self.run("pg_ctl", &["-D", data, "-m", "immediate", "-w", "stop"]);
    }

    /// The URL of its Unix socket.
    pub fn url(&self) -> String {
        Cluster::url_of(&self.socket().display().to_string())
    }

    /// The host by which others reach it: an address, or the folder of its Unix socket.
    fn host(&self) -> String {
        match &self.machine {
            Some(machine) => machine.address.to_string(),
            None => self.socket().display().to_string(),
        }
    }

    fn url_of(hosts: &str) -> String {
        let hosts = hosts.replace('/', "%2F");
        format!("postgres://postgres@{hosts}/postgres")
    }

    /// The URL of one of several servers, whichever takes writes.
    pub fn url_with(&self, others: &[&Cluster]) -> String {
        let all = std::iter::once(&self).chain(others);
        let hosts: Vec<String> = all.map(|it| it.host()).collect();
        Cluster::url_of(&hosts.join(","))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.data();
        if !data.join("postmaster.pid").exists() {
            return;
        }
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let data = data.to_str().expect("text");
            self.run("pg_ctl", &["-D", data, "-m", "immediate", "-w", "stop"]);
        }));
    }
}
