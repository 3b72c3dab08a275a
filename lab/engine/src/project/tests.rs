use super::*;
use crate::project::place::installed;
use crate::project::place::is_project;
use crate::project::place::workspace;

#[test]
fn an_installed_command_brings_its_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let share = root.join("prefix/share/selo");
    for name in ["lab/boards", "lab/libraries", "lab/vectors", "src"] {
        std::fs::create_dir_all(share.join(name)).expect("made");
    }
    let program = root.join("prefix/bin/selo");
    std::fs::create_dir_all(program.parent().expect("a parent")).expect("made");
    std::fs::write(&program, "").expect("written");
    let found = installed(&program).expect("found");
    assert_eq!(found, share);
    assert_eq!(installed(&root.join("elsewhere/selo")), None);

    // Another version replaces the links, but not the user's own files.
    let own = root.join("own");
    let own = workspace(&found, &own).expect("made");
    assert!(is_project(&own));
    std::fs::remove_file(own.join("lab/boards")).expect("removed");
    std::fs::create_dir(own.join("lab/boards")).expect("made");
    std::fs::remove_file(own.join("lab/vectors")).expect("removed");
    std::os::unix::fs::symlink("/nowhere", own.join("lab/vectors")).expect("linked");
    workspace(&found, &own).expect("made");
    assert!(!own.join("lab/boards").is_symlink());
    assert_eq!(
        std::fs::read_link(own.join("lab/vectors")).ok(),
        Some(share.join("lab/vectors"))
    );
    assert_eq!(
        std::fs::read_link(own.join("lab/libraries")).ok(),
        Some(share.join("lab/libraries"))
    );
}
#[test]
fn a_manifest_of_the_release_before_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut project = Project::load(&root).expect("the project's data");
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = "name = \"theirs\"\ntitle = \"Theirs\"\nversion = \"1\"\nlicence = \"MIT\"\n\
            [[implementation]]\nalgorithms = [\"aes-128\"]\nstrategies = [\"fast\"]\n\
            glue = \"{strategy}.c\"\noperations = [\"encrypt\"]\n";
    std::fs::write(folder.path().join("contender.toml"), manifest).expect("written");
    std::fs::write(folder.path().join("fast.c"), "").expect("written");
    let name = project.add_library(folder.path()).expect("it is read");
    let selection = Selection {
        libraries: vec![name],
        ..Selection::default()
    };
    let board = project.board("native").expect("a board");
    let units = project.units(board, &selection).expect("units");
    assert!(units[0].library.has_old_manifest());
    assert_eq!(units[0].variant, "fast");
    assert!(units[0].glue().ends_with("fast.c"));
}
