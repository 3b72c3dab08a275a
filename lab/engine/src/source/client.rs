//! Calls the registries' own clients, which know their hosts, mirrors and proxies. The caller
//! checks the digest of every archive.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::git;
use super::manifest::{Registry, Source};
use crate::error::{Error, Result};

/// The files and folders that list Debian's package sources.
const APT_LISTS: [&str; 2] = ["/etc/apt/sources.list", "/etc/apt/sources.list.d"];

/// Fetches the archive of `source` into the empty folder `into` and returns its path. `cache`
/// persists between calls.
pub(super) fn fetch(source: &Source, cache: &Path, into: &Path) -> Result<PathBuf> {
    match source.registry {
        Registry::Debian => debian(source, cache, into),
        Registry::Crates => crates(source, into),
        Registry::Git => git::fetch(source, into).map(|got| got.archive),
        Registry::System => Err(source.error(
            "it is not installed".to_owned(),
            "make setup installs it".to_owned(),
        )),
    }
}

/// Fetches a crate. cargo keeps the downloaded archive and neither builds nor runs it.
fn crates(source: &Source, into: &Path) -> Result<PathBuf> {
    let spec = format!("{}@{}", source.package, source.version);
    run(
        source,
        Command::new("cargo")
            .args(["info", "--quiet", &spec])
            .current_dir(into),
        &["cargo"],
    )?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let kept = home.unwrap_or_default().join("registry/cache");
    let found = crate::data::sorted_entries(&kept)?
        .into_iter()
        .map(|registry| registry.join(&source.archive))
        .find(|archive| archive.is_file());
    let Some(found) = found else {
        return Err(source.error(
            format!("cargo did not download {}", source.archive),
            "archive must be NAME-VERSION.crate".to_owned(),
        ));
    };
    let copy = into.join(&source.archive);
    std::fs::copy(&found, &copy).map_err(|error| Error::Write {
        path: copy.clone(),
        source: error,
    })?;
    Ok(copy)
}

/// Fetches a source package. Debian replaces versions, but the archive of an upstream release stays
/// the same, so any version with the pinned digest will do.
fn debian(source: &Source, cache: &Path, into: &Path) -> Result<PathBuf> {
    let apt = Apt::open(source, &cache.join("apt"))?;
    let mut stanzas = apt.stanzas(source, into);
    if !stanzas.iter().any(|stanza| stanza.has(source)) {
        apt.update(source)?;
        stanzas = apt.stanzas(source, into);
    }
    let Some(stanza) = stanzas.iter().find(|stanza| stanza.has(source)) else {
        let versions: Vec<&str> = stanzas.iter().map(|s| s.version.as_str()).collect();
        return Err(if versions.is_empty() {
            source.error(
                "the package sources of this machine do not contain it".to_owned(),
                "the manifest can list [[source.alternatives]]".to_owned(),
            )
        } else {
            source.error(
                format!(
                    "the package now has version {}, which does not contain {}",
                    versions.join(" and "),
                    source.archive
                ),
                format!(
                    "{} pins version {} with sha256 {}: update version, archive and sha256 together, or put the old archive into the folder of archives",
                    "the manifest", source.version, source.sha256
                ),
            )
        });
    };
    let spec = format!("{}={}", source.package, stanza.version);
    run(
        source,
        apt.command("apt-get")
            .args([
                "source",
                "--download-only",
                "--tar-only",
                "--only-source",
                &spec,
            ])
            .current_dir(into),
        &["apt"],
    )?;
    let got = into.join(&source.archive);
    if got.is_file() {
        return Ok(got);
    }
    Err(source.error(
        format!("apt-get did not download {}", source.archive),
        "archive must be the package's .orig.tar file".to_owned(),
    ))
}

/// One version of a source package, from the output of apt-cache.
struct Stanza {
    version: String,
    text: String,
}

impl Stanza {
    /// True if the version lists the archive with the pinned digest.
    fn has(&self, source: &Source) -> bool {
        self.text.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(&source.sha256) && words.nth(1) == Some(&source.archive)
        })
    }
}

/// apt with its own lists: source packages of this machine's Debian release, from the same servers
/// as its binary packages. The machine's own lists stay unchanged.
struct Apt {
    folder: PathBuf,
    /// Held, so that another run waits: apt itself fails if its lists are in use.
    _alone: File,
}

impl Apt {
    fn open(source: &Source, folder: &Path) -> Result<Apt> {
        let lines = source_lines();
        if lines.is_empty() {
            return Err(source.error(
                "this machine has no Debian package sources".to_owned(),
                "the manifest can list [[source.alternatives]]".to_owned(),
            ));
        }
        let write = |path: &Path, text: &str| {
            std::fs::write(path, text).map_err(|error| Error::Write {
                path: path.to_owned(),
                source: error,
            })
        };
        for name in ["lists/partial", "cache/archives/partial"] {
            let path = folder.join(name);
            std::fs::create_dir_all(&path).map_err(|source| Error::Write { path, source })?;
        }
        // apt needs absolute paths.
        let folder = std::path::absolute(folder).map_err(|error| Error::Read {
            path: folder.to_owned(),
            source: error,
        })?;
        let alone = hold(&folder)?;
        write(&folder.join("sources.list"), &(lines.join("\n") + "\n"))?;
        Ok(Apt {
            folder,
            _alone: alone,
        })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (key, value) in [
            ("Dir::Etc::sourcelist", self.folder.join("sources.list")),
            ("Dir::Etc::sourceparts", PathBuf::from("/dev/null")),
            ("Dir::State::lists", self.folder.join("lists")),
            ("Dir::Cache", self.folder.join("cache")),
        ] {
            command.arg("-o").arg(format!("{key}={}", value.display()));
        }
        command.args(["-o", "Acquire::Retries=2", "-q"]);
        command
    }

    fn update(&self, source: &Source) -> Result<()> {
        run(source, self.command("apt-get").arg("update"), &["apt"])
    }

    fn stanzas(&self, source: &Source, folder: &Path) -> Vec<Stanza> {
        let mut command = self.command("apt-cache");
        command.args(["showsrc", "--only-source", &source.package]);
        let output = command.current_dir(folder).stdin(Stdio::null()).output();
        // apt shows nothing for an unknown package.
        let text = output.map_or_else(|_| Vec::new(), |output| output.stdout);
        String::from_utf8_lossy(&text)
            .split("\n\n")
            .filter_map(|stanza| {
                let version = stanza
                    .lines()
                    .find_map(|line| line.strip_prefix("Version: "))?;
                Some(Stanza {
                    version: version.trim().to_owned(),
                    text: stanza.to_owned(),
                })
            })
            .collect()
    }
}

/// The `deb-src` lines for the suites of this Debian release, made from the machine's lists.
fn source_lines() -> Vec<String> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .unwrap_or_default();
    if codename.is_empty() {
        return Vec::new();
    }
    let mut files = vec![PathBuf::from(APT_LISTS[0])];
    files.extend(crate::data::sorted_entries(Path::new(APT_LISTS[1])).unwrap_or_default());
    let mut lines = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        lines.extend(match file.extension().and_then(|e| e.to_str()) {
            Some("list") => one_line_style(&text, codename),
            Some("sources") => stanza_style(&text, codename),
            _ => Vec::new(),
        });
    }
    lines.sort();
    lines.dedup();
    lines
}

fn of_release(suite: &str, codename: &str) -> bool {
    let rest = suite.strip_prefix(codename);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
}

/// Reads lines such as `deb [options] URI SUITE COMPONENT...`.
fn one_line_style(text: &str, codename: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("deb ") else {
            continue;
        };
        let rest = rest.trim();
        let after_options = match rest.strip_prefix('[') {
            Some(options) => options.split_once(']').map_or("", |(_, after)| after),
            None => rest,
        };
        let suite = after_options.split_whitespace().nth(1);
        if suite.is_some_and(|suite| of_release(suite, codename)) {
            lines.push(format!("deb-src {rest}"));
        }
    }
    lines
}

/// Reads stanzas of `Field: values`.
fn stanza_style(text: &str, codename: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for stanza in text.split("\n\n") {
        let field = |name: &str| {
            let values = stanza
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            values.unwrap_or_default().trim()
        };
        let signed = field("Signed-By");
        let options = if signed.is_empty() {
            String::new()
        } else {
            format!("[signed-by={signed}] ")
        };
        for uri in field("URIs").split_whitespace() {
            for suite in field("Suites").split_whitespace() {
                if of_release(suite, codename) {
                    let components = field("Components");
                    lines.push(format!("deb-src {options}{uri} {suite} {components}"));
                }
            }
        }
    }
    lines
}

/// Runs a client. The error contains the first error line of the client, or its last line.
fn run(source: &Source, command: &mut Command, packages: &[&str]) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|_| Error::MissingProgram {
            program: program.clone(),
            needed_for: format!("fetching {}", source.package),
            packages: packages.iter().map(|&name| name.to_owned()).collect(),
            install: String::new(),
        })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let said = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("E:") || line.starts_with("error"))
        .or_else(|| text.lines().last())
        .unwrap_or("no message");
    Err(source.error(
        format!("{program}: {said}"),
        "check the network, then run the same command again: it keeps what it has fetched"
            .to_owned(),
    ))
}

/// Waits until no other run uses apt's folder. It is ours until the file is dropped.
fn hold(folder: &Path) -> Result<File> {
    let path = folder.join("in-use");
    let file = File::create(&path).and_then(|file| file.lock().map(|()| file));
    file.map_err(|source| Error::Write { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_release_gives_sources() {
        let text = "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n\nTypes: deb\nURIs: http://other.example\nSuites: nodistro\nComponents: main\n";
        assert_eq!(
            stanza_style(text, "bookworm"),
            [
                "deb-src [signed-by=/k.gpg] http://mirror.example/debian bookworm main",
                "deb-src [signed-by=/k.gpg] http://mirror.example/debian bookworm-updates main",
            ]
        );
        let text = "# deb x bookworm main\ndeb [arch=amd64] http://mirror.example/debian bookworm/updates main\ndeb http://sdk.example/apt sdk-bookworm main\n";
        assert_eq!(
            one_line_style(text, "bookworm"),
            ["deb-src [arch=amd64] http://mirror.example/debian bookworm/updates main"]
        );
    }

    #[test]
    fn two_runs_do_not_use_apt_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = || File::create(folder.path().join("in-use")).expect("a file");
        let held = hold(folder.path()).expect("nobody else holds it");
        assert!(other().try_lock().is_err());
        drop(held);
        other().try_lock().expect("it is free again");
    }
}
