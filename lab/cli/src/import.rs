//! `selo lab import pqm4`: the schemes of a tree in the form of pqm4, each implementation a library.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::bind::manifest::{Target, Terms};
use selo_engine::import::{self, Scheme};
use selo_engine::project::{IMPORTED, Project};
use selo_engine::source::Sources;
use selo_engine::{Error, Result};

use super::binding::{self, Came, Wanted};

/// The board of pqm4.
const BOARD: &str = "stm32f407";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Takes a tree in the form of pqm4 or PQClean, without edits: crypto_kem/SCHEME/IMPLEMENTATION and
crypto_sign/SCHEME/IMPLEMENTATION, with the shared folder `common`, also below mupq and pqclean.
Each implementation becomes a library of this project, pqm4-SCHEME-IMPLEMENTATION, in
out/import/: a copy of its files is in target/inputs, manifest and glue are beside it. It is
called by trial, and official vectors decide. Delete its folder to forget it.

Implementations whose name begins with m4 are for boards with a Cortex-M4 only. Those for PCs
(avx2, aarch64) are left out. The manifests have pqm4's -O3. Schemes that the lab has no vectors for are named and left out.

Examples:
  selo lab import pqm4 ~/pqm4
  selo lab import pqm4 ~/pqm4 --scheme ml-kem-512,ml-kem-768
  selo lab run --board stm32f407 --library pqm4-ml-kem-512-m4fspeed
  selo lab table pqm4 --markdown

Exit codes: 0 all are imported, 2 there is no such tree, 3 a compiler is missing,
5 something could not be imported.")]
pub struct Args {
    /// Form of the tree
    #[arg(value_enum)]
    form: Form,
    /// Folder of the tree
    folder: PathBuf,
    /// Schemes (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    scheme: Vec<String>,
    /// Board on which the calls are tried
    #[arg(long, value_name = "NAME", default_value = BOARD)]
    board: String,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Pqm4,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let Form::Pqm4 = args.form;
    let project = Project::load(root)?;
    project.board(&args.board)?;
    let mut schemes = import::schemes(&args.folder)?;
    for name in &args.scheme {
        if !schemes.iter().any(|scheme| scheme.name == *name) {
            let known = schemes.iter().map(|scheme| scheme.name.as_str());
            return Err(Error::unknown("scheme", name, known).into());
        }
    }
    schemes.retain(|scheme| args.scheme.is_empty() || args.scheme.contains(&scheme.name));
    let mut imported = 0;
    for scheme in &schemes {
        match one(&project, args, scheme)? {
            None => imported += 1,
            Some(why) => println!("not imported  {}: {why}", scheme.library()),
        }
    }
    println!("{imported} of {} imported", schemes.len());
    Ok(match imported == schemes.len() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(binding::NOT_BOUND),
    })
}

/// Imports one implementation. Returns the reason why it was not.
fn one(project: &Project, args: &Args, scheme: &Scheme) -> Result<Option<String>> {
    let name = scheme.library();
    let into = project.root.join(IMPORTED).join(&name);
    let algorithms: Vec<String> = project
        .algorithms
        .iter()
        .filter(|algorithm| algorithm.name == scheme.name)
        .map(|algorithm| algorithm.name.clone())
        .collect();
    if algorithms.is_empty() {
        return Ok(Some(format!("the lab has no vectors for {}", scheme.name)));
    }
    eprintln!("{name}: finding out how to call it");
    let folder = Sources::new(&project.root, false).copied_of_tree(&scheme.folder, &args.folder)?;
    let wanted = Wanted {
        algorithms: &algorithms,
        ..Wanted::ALL
    };
    let target = Target {
        name: &name,
        into: &into,
        terms: &terms(project, scheme),
    };
    let came = match binding::bind_into(project, &args.board, &folder, wanted, target) {
        Ok(came) => came,
        Err(error @ Error::NoLibrary { .. }) => return Ok(Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let why = match came {
        Came::Callable => {
            println!("imported      {name}: {}", into.display());
            return Ok(None);
        }
        // Of the copy: a survey follows no links, and the tree may have some.
        Came::Suspect => format!(
            "its results are not those of the official vectors: selo lab survey {}",
            folder.display()
        ),
        Came::Stopped => format!(
            "no call came to a result, by a limit or a fault: selo lab survey {}",
            folder.display()
        ),
        Came::Nothing => "the lab found no way to call it".to_owned(),
    };
    let removed = std::fs::remove_dir_all(&into);
    removed.map_err(|source| Error::Write { path: into, source })?;
    Ok(Some(why))
}

/// The optimisation of pqm4, and, for code of a Cortex-M4, the boards with that core.
fn terms(project: &Project, scheme: &Scheme) -> Terms {
    let of_m4 = |flags: &[String]| flags.iter().any(|flag| flag.contains("cortex-m4"));
    let boards = project.boards.iter().filter(|_| scheme.is_for_m4());
    let boards = boards.filter(|board| of_m4(&board.toolchain.flags));
    Terms {
        optimise: "-O3",
        boards: boards.map(|board| board.name.clone()).collect(),
    }
}
