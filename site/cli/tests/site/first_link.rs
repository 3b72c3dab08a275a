//! The link that `selo up` prints at its first start. It holds a password: only a terminal may
//! show it, and it opens nothing once somebody has chosen a password.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

use crate::gateway_support::{Lines, PATIENCE, Site};

const OWN: &str = "a password of my own";
const MARK: &str = "/#/first/";

/// A pseudo-terminal: what a program writes to the second file is read from the first.
fn terminal() -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).expect("ours");
    unlockpt(&master).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("a name");
    let name = name.into_string().expect("text");
    let inside = File::options().read(true).write(true).open(name);
    (master.into(), inside.expect("opens"))
}

struct Up {
    child: Child,
    log: Lines,
}

impl Up {
    fn start(site: &Site, stderr: Stdio, read: Option<File>) -> Up {
        let free = "127.0.0.1:0";
        let mut command: Command =
            site.command(&["up", "--http", free, "--listen", free, "--broker", free]);
        let child = command.stdout(Stdio::null()).stderr(stderr).spawn();
        let mut child = child.expect("starts");
        // Dropping the command closes this process's copy of the terminal.
        drop(command);
        let log = match read {
            Some(file) => Lines::of(file),
            None => Lines::of(child.stderr.take().expect("piped")),
        };
        Up { child, log }
    }

    fn in_terminal(site: &Site) -> Up {
        let (outside, inside) = terminal();
        Up::start(site, inside.into(), Some(outside))
    }

    /// Stops it, and returns all that it has printed.
    fn stop(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("runs");
        let since = Instant::now();
        while self.child.try_wait().expect("ours").is_none() {
            assert!(since.elapsed() < PATIENCE, "it does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
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

/// The status of a login as admin, and the cookie.
fn log_in(base: &str, password: &str) -> (u16, String) {
    let body = json!({"user": "admin", "password": password}).to_string();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let answer = agent
        .post(format!("{base}/api/v1/login"))
        .content_type("application/json")
        .send(body)
        .expect("answers");
    let cookies = answer.headers().get_all("set-cookie").iter();
    let pairs = cookies.filter_map(|one| one.to_str().ok()?.split(';').next().map(str::to_owned));
    (
        answer.status().as_u16(),
        pairs.collect::<Vec<_>>().join("; "),
    )
}

fn link_of(line: &str) -> (String, String) {
    let link = line.split_whitespace().last().expect("a link");
    let (base, code) = link.split_once(MARK).expect(line);
    (base.to_owned(), code.to_owned())
}

fn first_password(site: &Site) -> String {
    let folder = site.state().join("collector");
    let files = std::fs::read_dir(folder).expect("a folder");
    let named = |path: &Path| path.to_string_lossy().contains("password");
    let mut found = files
        .map(|one| one.expect("a file").path())
        .filter(|path| named(path));
    let path = found.next().expect("the first password");
    std::fs::read_to_string(path)
        .expect("text")
        .trim()
        .to_owned()
}

#[test]
fn the_link_lets_in_once_and_is_not_printed_again() {
    let site = Site::new();
    let up = Up::in_terminal(&site);
    let (base, code) = link_of(&up.log.wait("First run: open "));
    assert_eq!(code, first_password(&site));
    assert_eq!(log_in(&base, &code).0, 200, "the link lets in");
    // A restart before anybody used it prints the same link: the terminal may have been closed.
    let said = up.stop();
    assert_eq!(said.matches(MARK).count(), 1, "{said}");
    let up = Up::in_terminal(&site);
    let (base, again) = link_of(&up.log.wait("First run: open "));
    assert_eq!(again, code);

    // What the page does: log in with the code, and choose a password.
    let (status, cookie) = log_in(&base, &code);
    assert_eq!(status, 200);
    let body = json!({"old": code, "new": OWN}).to_string();
    let changed = ureq::post(format!("{base}/api/v1/me/password"))
        .header("cookie", cookie)
        .header("origin", &base)
        .content_type("application/json")
        .send(body);
    assert!(changed.expect("is changed").status().is_success());
    assert_eq!(log_in(&base, &code).0, 401, "the link is dead");
    assert_eq!(log_in(&base, OWN).0, 200);
    up.stop();

    let up = Up::in_terminal(&site);
    let line = up.log.wait("Dashboard: ");
    assert!(line.contains("http://127.0.0.1:"), "{line}");
    let said = up.stop();
    assert!(!said.contains(MARK) && !said.contains(&code), "{said}");
}

#[test]
fn a_password_from_the_command_ends_the_link_too() {
    let site = Site::new();
    let up = Up::in_terminal(&site);
    let (base, code) = link_of(&up.log.wait("First run: open "));
    let mut set = site
        .command(&["collect", "user", "add", "admin", "--role", "admin"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("starts");
    std::io::Write::write_all(&mut set.stdin.take().expect("piped"), OWN.as_bytes())
        .expect("reads");
    assert!(set.wait().expect("ends").success());
    // The collector looks at the user file several times a second.
    let since = Instant::now();
    while log_in(&base, OWN).0 != 200 {
        assert!(since.elapsed() < PATIENCE, "the new password is not taken");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(log_in(&base, &code).0, 401, "the link is dead");
    up.stop();
    let up = Up::in_terminal(&site);
    up.log.wait("Dashboard: ");
    assert!(!up.stop().contains(MARK));
}

#[test]
fn a_log_never_holds_the_link() {
    let site = Site::new();
    let up = Up::start(&site, Stdio::piped(), None);
    up.log.wait("everything is up");
    let code = first_password(&site);
    let said = up.stop();
    assert!(!said.contains(MARK) && !said.contains(&code), "{said}");
}
