//! Where the simulators' programs are: built in the project, or installed beside the command.

use std::path::{Path, PathBuf};

/// The path of a simulator's program. It is in the project if it was built there, else in
/// PREFIX/lib/selo of an installed PREFIX/bin/selo-lab. If it is in neither, the project's path,
/// for the error.
pub fn program(root: &Path, name: &str) -> PathBuf {
    let built = root.join("target/sims").join(name);
    if built.exists() {
        return built;
    }
    let command = std::env::current_exe().and_then(std::fs::canonicalize);
    let installed = command.ok().and_then(|command| installed(&command, name));
    installed.filter(|path| path.exists()).unwrap_or(built)
}

fn installed(command: &Path, name: &str) -> Option<PathBuf> {
    Some(command.parent()?.parent()?.join("lib/selo").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulator_of_the_project_goes_before_an_installed_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let built = root.join("target/sims/selo-simavr");
        assert_eq!(program(root, "selo-simavr"), built, "for the error");
        std::fs::create_dir_all(root.join("target/sims")).expect("a folder");
        std::fs::write(&built, "").expect("a file");
        assert_eq!(program(root, "selo-simavr"), built);
        let there = installed(Path::new("/usr/bin/selo-lab"), "selo-simavr");
        assert_eq!(there, Some(PathBuf::from("/usr/lib/selo/selo-simavr")));
    }
}
