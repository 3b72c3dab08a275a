//! `selo lab new-library`: binds a library unknown to the lab, and writes its manifest and glue.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::bind::manifest::{self, Target};
use selo_engine::library::MANIFEST;
use selo_engine::project::Project;
use selo_engine::scan;

use super::binding::{self, Wanted};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the headers and sources of a folder, looks for functions of ciphers, hashes and
authenticated ciphers (functions of C and methods of C++), and tries plausible ways to
call them against official vectors, on a simulated chip. What passes becomes
library.toml and glue; the rest is listed with the reason. Nothing that exists is
overwritten. Then: selo lab survey PATH

Examples:
  selo lab new-library ~/aes-library
  selo lab new-library ~/aes-library --into lab/libraries/their-aes --name their-aes
  selo lab new-library ~/aes-library --print

Exit codes: 0 written, 2 there is no library, or a file would be overwritten,
5 no way to call the library was found.")]
pub struct Args {
    /// Folder of the library
    path: PathBuf,
    /// Name of the library (default: derived from its folder)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Folder to write into (default: the library's)
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Board that the trials run on (default: uno, or native without the Uno's compiler)
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Algorithms that are tried, such as aes-128-cbc (default: all that the names speak of)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    algorithm: Vec<String>,
    #[command(flatten)]
    time: binding::Time,
    /// Print the files instead of writing them
    #[arg(long)]
    print: bool,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    for name in &args.algorithm {
        project.algorithm(name)?;
    }
    let library = scan::scan(&args.path)?;
    let into = match &args.into {
        Some(into) => std::path::absolute(into)?,
        None => library.folder.clone(),
    };
    let name = args
        .name
        .clone()
        .unwrap_or_else(|| manifest::library_name(&into));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(selo_engine::Error::Data {
            path: into,
            message: format!(
                "'{name}' is not a valid name: letters, digits, '-', '_' and '.' make one"
            ),
        }
        .into());
    }
    let there = into.join(MANIFEST);
    if !args.print && there.symlink_metadata().is_ok() {
        // The trials take a while; their result would not be written.
        return Err(selo_engine::Error::Exists { path: there }.into());
    }
    let board = args.board.as_deref();
    let board = board.unwrap_or_else(|| binding::default_board(&project));
    let wanted = Wanted {
        algorithms: &args.algorithm,
        time: args.time.of_trials(),
        ..Wanted::ALL
    };
    let made = binding::bind(&project, board, &library, wanted)?;
    let files = manifest::files(&library, &made, Target::new(&name, &into));
    println!(
        "{} headers, {} sources, {} trials on {}",
        library.headers.len(),
        library.sources.len(),
        made.trials.len(),
        board
    );
    print!("{}", binding::summary(&made));
    for note in &library.notes {
        println!("note: {note}");
    }
    if made.bound.is_empty() && made.suspects.is_empty() {
        println!("hint: docs/contributor/add-a-library.md describes glue by hand");
        return Ok(ExitCode::from(binding::NOT_BOUND));
    }
    let bound = !made.bound.is_empty();
    let done = ExitCode::from(if bound { 0 } else { binding::NOT_BOUND });
    if args.print {
        for (file, text) in &files {
            println!("==> {file} <==\n{text}");
        }
        return Ok(done);
    }
    for path in manifest::write(&files, &into)? {
        println!("{}", path.display());
    }
    let shown = args.into.as_ref().unwrap_or(&args.path);
    println!("next: selo lab survey {}", shown.display());
    Ok(done)
}
