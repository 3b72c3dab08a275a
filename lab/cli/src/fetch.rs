//! `selo lab fetch`: brings the sources of libraries into the cache ahead of time.

use std::path::Path;
use std::process::ExitCode;

use selo_engine::library::Library;
use selo_engine::project::Project;
use selo_engine::source::Sources;
use serde::Serialize;

use super::common::fetch_one;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
`selo lab run` and `selo lab check` fetch the sources that they need. Archives are kept in
target/archives, or in the folder that SELO_ARCHIVES names. Copy this folder to use the lab
on a machine without a network.

Examples:
  selo lab fetch
  selo lab fetch bearssl micro-ecc --json")]
pub struct Args {
    /// Libraries (default: all)
    #[arg(value_name = "LIBRARY")]
    library: Vec<String>,
    /// Download nothing: list missing sources, and unpack those in the folder of archives
    #[arg(long)]
    offline: bool,
    /// Print JSON Lines on stdout
    #[arg(long)]
    json: bool,
}

/// One line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    library: &'a str,
    package: &'a str,
    version: &'a str,
    registry: &'static str,
    sha256: &'a str,
    /// `None` if the sources are in the cache now.
    error: Option<String>,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    for name in &args.library {
        project.library(name)?;
    }
    let wanted = |library: &&Library| {
        !library.is_own() && (args.library.is_empty() || args.library.contains(&library.name))
    };
    let sources = Sources::new(root, args.offline);
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
            let of = |package, version, registry, sha256| Line {
                library: &library.name,
                package,
                version,
                registry,
                sha256,
                error: result.as_ref().err().map(ToString::to_string),
            };
            let archives = library.all_sources().map(|source| {
                let registry = source.registry.name();
                of(&source.package, &source.version, registry, &source.sha256)
            });
            // Cargo.lock has the digests of its crates.
            let cargo = library.cargo.iter();
            let cargo = cargo.map(|of_it| of(&of_it.library, &library.version, "crates", ""));
            for line in archives.chain(cargo) {
                println!("{}", serde_json::to_string(&line)?);
            }
        }
    }
    eprintln!("{there} libraries are in the cache, {missing} could not be fetched");
    Ok(ExitCode::from(u8::from(missing > 0)))
}
