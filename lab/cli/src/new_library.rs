//! `selo lab new-library`: writes a manifest and glue for a library unknown to the lab.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_engine::scan::{self, skeleton};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the headers and sources of a folder, looks for functions that set up a key,
encrypt and decrypt (blocks, CBC and CTR; C functions and C++ classes), and writes
library.toml and glue into the folder. If the functions are clear, the glue works as it
is. If not, comments in the glue list each candidate with its file and line. Existing
files are not overwritten. Next step: selo lab survey PATH

Examples:
  selo lab new-library ~/aes-library
  selo lab new-library ~/aes-library --into lab/libraries/their-aes --name their-aes
  selo lab new-library ~/aes-library --print

Exit codes: 0 written, 2 no library found, or a file would be overwritten.")]
pub struct Args {
    /// Folder of the library
    path: PathBuf,
    /// Name of the library (default: derived from its folder)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Folder to write into (default: the library's)
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Print the files instead of writing them
    #[arg(long)]
    print: bool,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let library = scan::scan(&args.path)?;
    let into = match &args.into {
        Some(into) => std::path::absolute(into)?,
        None => library.folder.clone(),
    };
    let name = args
        .name
        .clone()
        .unwrap_or_else(|| skeleton::library_name(&into));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(selo_engine::Error::Data {
            path: into,
            message: format!("'{name}' is not a valid name: use letters, digits, '-', '_' and '.'"),
        }
        .into());
    }
    let made = skeleton::skeleton(&library, &project.algorithms, &name, &into);
    if args.print {
        for (file, text) in &made.files {
            println!("==> {file} <==\n{text}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    for path in made.write(&into)? {
        println!("{}", path.display());
    }
    let entries = library.entries.len();
    println!(
        "\n{} headers, {} sources, {entries} likely functions",
        library.headers.len(),
        library.sources.len()
    );
    if !made.algorithms.is_empty() {
        println!("glue for {}", made.algorithms.join(", "));
    }
    for open in &made.open {
        println!("check {open}");
    }
    let shown = args.into.as_ref().unwrap_or(&args.path);
    println!("next: selo lab survey {}", shown.display());
    Ok(ExitCode::SUCCESS)
}
