//! `selo backup` and `selo restore`: the data of a small site that cannot be created again, in one
//! folder.
//!
//! The backup contains no sessions: a restored copy of a session would accept packets twice.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use selo_base::bail;
use selo_base::report::Context;
use selo_collector::db::{Location, Sqlite};
use selo_gateway::state::StateDir;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::collect::Database;
use crate::gateway::State;

const SCHEMA: &str = "selo.backup/1";
const LIST: &str = "backup.json";
/// SQLite copies the two databases. The other files are copied as they are.
const REGISTRY: &str = "registry.db";
const READINGS: &str = "collector/readings.db";
const FILES: [&str; 8] = [
    "site-key",
    "heads-key",
    "collector/users",
    "collector/users.moved",
    "collector/webhook-secret",
    "collector/admin-password",
    "collector/channels.json",
    "collector/channels.moved",
];
/// Folders whose files are copied.
const FOLDERS: [&str; 2] = ["broker", "heads"];

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The folder contains registry.db (devices with their keys), site-key (opens these keys), collector/ (readings, users),
broker/ (certificates, passwords), heads-key and heads/ (radio heads). backup.json has the SHA-256 of each file. Gateway and
collector may run during the backup. The folder appears only when it is complete. Anyone who
has it can impersonate every device: it has mode 0700, keep it as safe as the keys to your
house.

The backup does not contain sessions (nodes join again by themselves), undelivered readings in
the journal (stop the gateway first if none may be missing), or a PostgreSQL database (use
pg_dump; site-key in this folder opens the device keys of a registry in PostgreSQL).

Example:
  selo backup /mnt/backup/selo-$(date +%F)")]
pub struct Backup {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    database: Database,
    /// The folder to create
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
If the state directory already has a registry, a site key, readings or a journal, nothing is
restored. All
files are compared with their SHA-256 before anything is written.

Example:
  selo restore /mnt/backup/selo-2026-11-22 --state /var/lib/selo")]
pub struct Restore {
    #[command(flatten)]
    state: State,
    /// A folder that `selo backup` has written
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct List {
    schema: String,
    version: String,
    created: String,
    files: Vec<Listed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    name: PathBuf,
    bytes: u64,
    sha256: String,
}

pub fn backup(args: &Backup) -> selo_base::report::Result<ExitCode> {
    let state = args.state.path()?;
    if !state.is_dir() {
        bail!("{} is not a state directory", state.display());
    }
    if args.folder.exists() {
        return Err(selo_mqtt::Error::Exists {
            path: args.folder.clone(),
        }
        .into());
    }
    // The folder gets its final name only when it is complete.
    let mut name = args.folder.clone().into_os_string();
    name.push(".new");
    let new = PathBuf::from(name);
    let done = fill(args, &state, &new).and_then(|list| {
        fs::rename(&new, &args.folder)
            .with_context(|| format!("cannot write {}", args.folder.display()))?;
        Ok(list)
    });
    let list = match done {
        Ok(list) => list,
        Err(error) => {
            let _ = fs::remove_dir_all(&new);
            return Err(error);
        }
    };
    for file in &list.files {
        println!("{}\t{}", file.bytes, file.name.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn fill(args: &Backup, state: &Path, new: &Path) -> selo_base::report::Result<List> {
    // A killed backup may have left this folder.
    let _ = fs::remove_dir_all(new);
    folder(new)?;
    let readings = match args.database.place() {
        None => Some(state.join(READINGS)),
        Some(Location::Sqlite(path)) => Some(path),
        Some(Location::Postgres(_)) => {
            eprintln!(
                "The readings are in PostgreSQL and not in this backup: copy them with pg_dump."
            );
            None
        }
    };
    if !args.state.has_registry() {
        eprintln!("The registry is in PostgreSQL and not in this backup: copy it with pg_dump.");
    }
    let databases = [(Some(state.join(REGISTRY)), REGISTRY), (readings, READINGS)];
    let mut names = Vec::new();
    for (from, name) in databases {
        let Some(from) = from.filter(|from| from.exists()) else {
            continue;
        };
        let to = parent(new, Path::new(name))?;
        Sqlite::copy(&from, &to)?;
        names.push(PathBuf::from(name));
    }
    let in_folders = FOLDERS.into_iter().flat_map(|folder| {
        let entries = fs::read_dir(state.join(folder)).into_iter().flatten();
        entries.filter_map(move |entry| Some(Path::new(folder).join(entry.ok()?.file_name())))
    });
    for name in FILES.into_iter().map(PathBuf::from).chain(in_folders) {
        let from = state.join(&name);
        if from.is_file() {
            fs::copy(&from, parent(new, &name)?)
                .with_context(|| format!("cannot copy {}", from.display()))?;
            names.push(name);
        }
    }
    let has = |name: &str| names.iter().any(|path| path == Path::new(name));
    if has(REGISTRY) && !has("site-key") {
        eprintln!(
            "The site key is not in the state directory and not in this backup. Keep a copy of \
             it: the registry cannot be used without it."
        );
    }
    if names.is_empty() {
        bail!("there is nothing to back up in {}", state.display());
    }
    names.sort();
    let list = List {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        created: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        files: names
            .into_iter()
            .map(|name| listed(new, name))
            .collect::<selo_base::report::Result<_>>()?,
    };
    let text = serde_json::to_string_pretty(&list)? + "\n";
    fs::write(new.join(LIST), text).with_context(|| format!("cannot write {}", new.display()))?;
    Ok(list)
}

/// Sets the mode of a file to 0600, syncs it to the disk, and returns its size and digest.
fn listed(folder: &Path, name: PathBuf) -> selo_base::report::Result<Listed> {
    let path = folder.join(&name);
    let about = || format!("cannot read {}", path.display());
    fs::set_permissions(&path, Permissions::from_mode(0o600)).with_context(about)?;
    let file = fs::File::open(&path).with_context(about)?;
    file.sync_all().with_context(about)?;
    let (bytes, sha256) = digest(file).with_context(about)?;
    Ok(Listed {
        name,
        bytes,
        sha256,
    })
}

fn digest(mut file: fs::File) -> io::Result<(u64, String)> {
    let mut hash = Sha256::new();
    let bytes = io::copy(&mut file, &mut hash)?;
    Ok((bytes, hex::encode(hash.finalize())))
}

fn folder(path: &Path) -> selo_base::report::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("cannot create {}", path.display()))
}

/// The path of a file, whose folder is created if necessary.
fn parent(base: &Path, name: &Path) -> selo_base::report::Result<PathBuf> {
    let path = base.join(name);
    if let Some(above) = path.parent() {
        folder(above)?;
    }
    Ok(path)
}

/// Fails if a file of the backup is damaged, or would be written outside of the folder.
fn check(folder: &Path, file: &Listed) -> selo_base::report::Result<()> {
    // A name with `..` or a leading `/` could leave the folder.
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !file.name.components().all(inside) {
        bail!(
            "{} is not a valid file name in a backup",
            file.name.display()
        );
    }
    let path = folder.join(&file.name);
    let opened = fs::File::open(&path).and_then(digest);
    let (bytes, sha256) = opened.with_context(|| format!("cannot read {}", path.display()))?;
    if (bytes, &sha256) != (file.bytes, &file.sha256) {
        bail!(
            "{} is damaged: its SHA-256 differs from backup.json",
            path.display()
        );
    }
    Ok(())
}

pub fn restore(args: &Restore) -> selo_base::report::Result<ExitCode> {
    let path = args.folder.join(LIST);
    let text = fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read {}; did `selo backup` write this folder?",
            path.display()
        )
    })?;
    let list: List = serde_json::from_str(&text)
        .with_context(|| format!("{} was not written by `selo backup`", path.display()))?;
    if list.schema != SCHEMA {
        bail!(
            "{} has the schema {}, not {SCHEMA}",
            path.display(),
            list.schema
        );
    }
    for file in &list.files {
        check(&args.folder, file)?;
    }
    let state = StateDir::open(&args.state.path()?)?;
    let state = state.path();
    // A journal of other sessions would not match the restored registry. Never overwrite.
    for name in [REGISTRY, READINGS, "journal", "site-key", "heads-key"] {
        if state.join(name).exists() {
            return Err(selo_mqtt::Error::Exists {
                path: state.join(name),
            }
            .into());
        }
    }
    for file in &list.files {
        let to = parent(state, &file.name)?;
        let copied = fs::copy(args.folder.join(&file.name), &to)
            .and_then(|_| fs::File::open(&to)?.sync_all());
        copied.with_context(|| format!("cannot write {}", to.display()))?;
    }
    eprintln!(
        "restored {} files of the backup of {} to {}. Start the gateway: nodes join again by themselves.",
        list.files.len(),
        list.created,
        state.display()
    );
    Ok(ExitCode::SUCCESS)
}
