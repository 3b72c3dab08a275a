//! Fetches one commit of a git repository with the user's `git`, and makes an archive of its files.
//!
//! The repository is not trusted. `git` gets a new bare repository without hooks, fetches one
//! commit over file, https or ssh, asks for nothing, and is stopped after [`PATIENCE`] or
//! [`LARGEST`] bytes. No working tree is made: `git archive` writes the committed bytes, without
//! filters and attributes, and the caller unpacks only regular files.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::manifest::Source;
use super::unpack::LARGEST;
use crate::error::{Error, Result};

/// Longest time of one call of git.
const PATIENCE: Duration = Duration::from_secs(300);

/// The protocols that git may use, also after a rewritten address (`url.*.insteadOf`).
const PROTOCOLS: &str = "file:https:ssh";

/// Attributes that stop git from changing the bytes of a file or leaving it out of an archive.
const ATTRIBUTES: &str =
    "* -text -eol -ident -filter -working-tree-encoding -export-ignore -export-subst\n";

/// Variables that would lead git to another repository.
const OF_ANOTHER_REPOSITORY: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
];

/// A fetched commit.
pub(super) struct Fetched {
    pub(super) commit: String,
    /// Its files, as `.tar.gz`.
    pub(super) archive: PathBuf,
}

/// Fetches the pinned commit of `source`, or its newest if it is unpinned. The commit is checked
/// against the pin; the files are not. The archive is in the empty folder `into`.
pub(super) fn fetch(source: &Source, into: &Path) -> Result<Fetched> {
    let repository = into.join("repository.git");
    let git = Git {
        source,
        repository: &repository,
        scratch: into,
    };
    git.run(
        Command::new("git")
            .args(["init", "--quiet", "--bare", "--template="])
            .arg(&repository),
    )?;
    let attributes = repository.join("info/attributes");
    let written = std::fs::create_dir_all(repository.join("info"))
        .and_then(|()| std::fs::write(&attributes, ATTRIBUTES));
    written.map_err(|source| Error::Write {
        path: attributes,
        source,
    })?;
    let tag = source.tag.as_ref().map(|tag| format!("refs/tags/{tag}"));
    let wanted = match &tag {
        Some(tag) => tag,
        None if source.is_unpinned() => "HEAD",
        None => &source.commit,
    };
    git.run(
        git.command(&["fetch", "--quiet", "--depth=1", "--no-tags"])
            .args(["--no-recurse-submodules", "--no-write-commit-graph"])
            .args(["--no-auto-maintenance", "--", &source.git, wanted]),
    )?;
    let head = git.run(&mut git.command(&["rev-parse", "--verify", "FETCH_HEAD^{commit}"]))?;
    let commit = head.trim().to_owned();
    if !source.is_unpinned() {
        source.same("its commit", commit.clone(), &source.commit)?;
    }
    let archive = into.join("files.tar.gz");
    git.archive(&commit, &archive)?;
    Ok(Fetched { commit, archive })
}

/// git in one new repository.
struct Git<'a> {
    source: &'a Source,
    repository: &'a Path,
    /// Folder for its messages.
    scratch: &'a Path,
}

impl Git<'_> {
    /// A call of git in the repository.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .arg("--git-dir")
            .arg(self.repository)
            .args(["-c", "core.hooksPath=/dev/null"])
            .args(["-c", "core.fsmonitor=false"])
            .args(["-c", "credential.interactive=false"])
            // Refuses names such as `..` and `.git` in a commit.
            .args(["-c", "fetch.fsckObjects=true"])
            .args(["-c", "fetch.recurseSubmodules=false"])
            .args(["-c", "gc.auto=0"])
            .args(arguments);
        command
    }

    /// Runs git to its end, within the limits. Returns its output.
    fn run(&self, command: &mut Command) -> Result<String> {
        let (said, printed) = (self.scratch.join("stderr"), self.scratch.join("stdout"));
        let create = |path: &Path| {
            File::create(path).map_err(|source| Error::Write {
                path: path.to_owned(),
                source,
            })
        };
        let command = command
            .stdout(create(&printed)?)
            .stderr(create(&said)?)
            .stdin(Stdio::null());
        let mut child = prepared(command).spawn().map_err(|_| self.missing())?;
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(self.error(error.to_string())),
            }
            let reason = if Instant::now() > end {
                Some(format!("git took more than {} s", PATIENCE.as_secs()))
            } else if size_of(self.scratch) > LARGEST {
                Some(format!("the commit has more than {LARGEST} bytes"))
            } else {
                None
            };
            if let Some(reason) = reason {
                let _ = child.kill();
                let _ = child.wait();
                return Err(self.error(reason));
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let text = |path: &Path| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        if status.success() {
            return Ok(text(&printed));
        }
        Err(self.error(format!("git: {}", reason(&text(&said)))))
    }

    /// Writes the files of a commit as `.tar.gz`.
    fn archive(&self, commit: &str, path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| self.error(format!("git archive: {error}"));
        let mut command = self.command(&["archive", "--format=tar", commit]);
        // The user's configuration may name filters, which are programs.
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_CONFIG_COUNT")
            .env_remove("GIT_CONFIG_PARAMETERS")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = prepared(&mut command).spawn().map_err(|_| self.missing())?;
        let write_error = |source| Error::Write {
            path: path.to_owned(),
            source,
        };
        let file = File::create(path).map_err(write_error)?;
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        let copied = match child.stdout.take() {
            Some(out) => std::io::copy(&mut out.take(LARGEST + 1), &mut packed),
            None => Ok(0),
        };
        // The pipe is closed now, so git ends.
        let status = child.wait().map_err(failed)?;
        if copied.map_err(write_error)? > LARGEST {
            return Err(self.error(format!("the commit has more than {LARGEST} bytes")));
        }
        if !status.success() {
            return Err(self.error(format!("git archive ended with {status}")));
        }
        packed.finish().map_err(write_error)?;
        Ok(())
    }

    fn missing(&self) -> Error {
        Error::MissingProgram {
            program: "git".to_owned(),
            needed_for: format!("fetching {}", self.source.git),
            packages: vec!["git".to_owned()],
            install: String::new(),
        }
    }

    fn error(&self, message: String) -> Error {
        self.source.error(
            message,
            format!(
                "check the address {} and the network, then run the same command again",
                self.source.git
            ),
        )
    }
}

impl Source {
    /// Compares a digest or id with the pinned one.
    pub(super) fn same(&self, what: &'static str, found: String, pinned: &str) -> Result<()> {
        if found == pinned {
            return Ok(());
        }
        Err(Error::Revision {
            package: self.name(),
            what,
            found,
            pinned: pinned.to_owned(),
        })
    }
}

/// Sets the environment of git: no questions, no other protocols, no other repository.
fn prepared(command: &mut Command) -> &mut Command {
    for name in OF_ANOTHER_REPOSITORY {
        command.env_remove(name);
    }
    if std::env::var_os("GIT_SSH_COMMAND").is_none() {
        command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "true")
        .env("SSH_ASKPASS", "true")
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .env("LC_ALL", "C")
}

/// The line of git's messages that tells why it failed.
fn reason(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    let line = told.or_else(|| lines().next_back()).unwrap_or("no message");
    // The text is the server's: it must not control the terminal.
    line.chars().filter(|c| !c.is_control()).collect()
}

/// The bytes of all files below a folder.
fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => size_of(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}
