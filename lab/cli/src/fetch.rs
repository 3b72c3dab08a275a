//! `selo lab fetch`: brings the sources of libraries into the cache ahead of time.

use std::path::Path;
use std::process::ExitCode;

use selo_engine::library::Library;
use selo_engine::project::Project;
use selo_engine::source::{Lock, Source, Sources};
use serde::Serialize;

use super::common::{fetch_one, tell};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
`selo lab run` and `selo lab check` fetch the sources that they need. Archives are kept in
target/archives, or in the folder that SELO_ARCHIVES names. Copy this folder to use the lab
on a machine without a network.

A manifest may leave the commit of a git repository open. Such a library is fetched only if
its commit is pinned: --pin fetches the newest one and records the commit and the SHA-256 of
its files in lab/libraries.lock. Later changes of the repository are not taken. To take them,
remove the entry from that file and pin again.

Examples:
  selo lab fetch
  selo lab fetch bearssl micro-ecc --json
  selo lab fetch --pin davylandman-aeslib")]
pub struct Args {
    /// Libraries (default: all)
    #[arg(value_name = "LIBRARY")]
    library: Vec<String>,
    /// Download nothing: list missing sources, and unpack those in the folder of archives
    #[arg(long)]
    offline: bool,
    /// Pin the newest commit of the named libraries whose manifest leaves it open
    #[arg(long, requires = "library", conflicts_with = "offline")]
    pin: bool,
    /// Print JSON Lines on stdout
    #[arg(long)]
    json: bool,
}

/// One line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    library: &'a str,
    package: String,
    /// The version, or the commit of a git repository.
    version: &'a str,
    registry: &'static str,
    /// Digest of the archive, or of the files of a git repository.
    sha256: &'a str,
    /// `None` if the sources are in the cache now.
    error: Option<String>,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let mut project = Project::load(root)?;
    for name in &args.library {
        project.library(name)?;
    }
    let sources = Sources::new(root, args.offline);
    if args.pin {
        pin(&project, &args.library, &sources)?;
        project = Project::load(root)?;
    }
    let named = |library: &Library| args.library.contains(&library.name);
    let open = |library: &Library| library.is_unpinned() && !named(library);
    let wanted = |library: &&Library| {
        !library.is_own() && !open(library) && (args.library.is_empty() || named(library))
    };
    let (mut there, mut missing) = (0, 0);
    for library in project.libraries.iter().filter(wanted) {
        let result = fetch_one(&sources, library);
        if let Err(error) = &result {
            missing += 1;
            if !args.json {
                super::common::complain(library, error);
            }
        } else {
            there += 1;
        }
        if args.json {
            print(library, result.err().map(|error| error.to_string()))?;
        }
    }
    let open = project.libraries.iter().filter(|library| open(library));
    let open: Vec<&str> = open.map(|library| library.name.as_str()).collect();
    if args.library.is_empty() && !open.is_empty() {
        eprintln!("{} have no pinned commit: {}", open.len(), open.join(", "));
        eprintln!("hint: selo lab fetch --pin NAME fetches the newest commit, and records it");
    }
    eprintln!("{there} libraries are in the cache, {missing} could not be fetched");
    Ok(ExitCode::from(u8::from(missing > 0)))
}

/// Pins the open sources of the named libraries.
fn pin(project: &Project, names: &[String], sources: &Sources) -> selo_engine::Result<()> {
    let mut lock = Lock::read(&project.root)?;
    for name in names {
        let library = project.library(name)?;
        pin_library(library, sources, &mut lock)?;
    }
    Ok(())
}

/// Pins the sources whose commit the library's manifest leaves open, and says what was pinned.
pub fn pin_library(
    library: &Library,
    sources: &Sources,
    lock: &mut Lock,
) -> selo_engine::Result<()> {
    let open = |source: &&Source| source.leaves_commit_open();
    for source in library.all_sources().filter(open) {
        let pin = sources.pin(source, &mut tell)?;
        eprintln!(
            "{}: commit {}, files {}",
            library.name, pin.commit, pin.tree
        );
        lock.add(pin)?;
    }
    Ok(())
}

/// Prints one line for each source of a library.
fn print(library: &Library, error: Option<String>) -> selo_base::report::Result<()> {
    let of = |package, version, registry, sha256| Line {
        library: &library.name,
        package,
        version,
        registry,
        sha256,
        error: error.clone(),
    };
    let archives = library.all_sources().map(|source| {
        let registry = source.registry.name();
        let digest = source.pinned_digest();
        of(source.name(), source.exact_release(), registry, digest)
    });
    // Cargo.lock has the digests of its crates.
    let cargo = library.cargo.iter();
    let cargo = cargo.map(|of_it| of(of_it.library.clone(), &library.version, "crates", ""));
    for line in archives.chain(cargo) {
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(())
}
