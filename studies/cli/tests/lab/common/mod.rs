//! Shared by the tests of the command: a writable project, and the command, run as a user runs it.
#![allow(dead_code)] // each test file uses its part

pub use crate::gateway_support::{Answer, program};

use std::path::{Path, PathBuf};
use std::process::Command;

/// Selo's AES-128 tiny: the smallest possible selection.
pub const TINY: [&str; 6] = [
    "--library",
    "selo",
    "--algorithm",
    "aes-128",
    "--variant",
    "tiny",
];

/// True if long tests run whole (SELO_TEST_ALL=1, as in `make test-all`) in place of a sample.
pub fn everything() -> bool {
    std::env::var_os("SELO_TEST_ALL").is_some()
}

/// What a test takes of a long list: all of it with [`everything`], otherwise `few` items, evenly
/// spread.
pub fn sample<T>(all: &[T], few: usize) -> impl Iterator<Item = &T> {
    let few = if everything() {
        all.len()
    } else {
        few.min(all.len())
    };
    (0..few).map(move |taken| &all[taken * all.len() / few])
}

/// Counts until nothing is left, for at most 30 seconds. The kernel ends the processes of a
/// namespace after the lab's call returns: on a busy machine, some are still there.
pub fn left_in_the_end(count: impl Fn() -> usize) -> usize {
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let left = count();
        if left == 0 || std::time::Instant::now() > patience {
            return left;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate stands two folders below the repository")
        .to_owned()
}

/// A temporary project. Its data files are copies; everything else is linked.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Project {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = root();
        for house in ["lab", "studies"] {
            std::fs::create_dir(folder.path().join(house)).expect("a folder");
        }
        for name in ["boards", "libraries", "algorithms", "papers", "vectors"] {
            let name = Path::new("lab").join(name);
            copy(&root.join(&name), &folder.path().join(name));
        }
        for name in [
            "src",
            "station",
            "lab/firmware",
            "lab/sims",
            "studies/firmware",
            "target",
        ] {
            link(&root.join(name), &folder.path().join(name));
        }
        Project { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(path, text).expect("a written file");
    }

    pub fn append(&self, file: &str, text: &str) {
        let mut all = std::fs::read_to_string(self.path().join(file)).expect("the file");
        all.push_str(text);
        self.write(file, &all);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("selo"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_remove("SELO_PROJECT");
        command
    }

    /// Runs `selo` in the project.
    pub fn selo(&self, arguments: &[&str]) -> Answer {
        let output = self.command(arguments).output().expect("the command runs");
        Answer::of(output)
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a readable folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copied file");
        }
    }
}

fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}
