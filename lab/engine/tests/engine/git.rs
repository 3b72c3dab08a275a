//! Tests sources that are commits of git repositories, with repositories made here. Only the
//! pinned commit with the pinned files is used; a hostile repository is refused or harmless.

use std::path::{Path, PathBuf};
use std::process::Command;

use selo_engine::library::Library;
use selo_engine::project::Project;
use selo_engine::source::{LOCK, Lock, Sources};

struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// A project folder, and a repository with two commits.
    fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("lab")).expect("a folder");
        let world = World { folder };
        std::fs::create_dir_all(world.repository()).expect("a folder");
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world.commit("src/a.c", "int a;\n");
        world
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn repository(&self) -> PathBuf {
        self.root().join("owner/thing")
    }

    fn address(&self) -> String {
        format!("file://{}", self.repository().display())
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.repository())
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(["-c", "core.protectNTFS=false"])
            .args(arguments)
            .output()
            .expect("git runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self, file: &str, text: &str) -> String {
        let path = self.repository().join(file);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn library(&self, pin: &str) -> Library {
        let address = self.address();
        let text = format!(
            "name = \"thing\"\ntitle = \"Thing\"\nversion = \"1\"\nlicence = \"MIT\"\n\
             [source]\ngit = \"{address}\"\n{pin}\n"
        );
        let mut library: Library = toml::from_str(&text).expect("a manifest");
        library.root = self.root().to_owned();
        library
    }

    fn sources(&self, offline: bool) -> Sources {
        Sources::new(self.root(), offline).with_archives(&self.root().join("archives"))
    }

    fn fetch(&self, library: &Library) -> selo_engine::Result<PathBuf> {
        self.sources(false).fetch(library, &mut |_| {})?;
        Ok(self.folder_of(library))
    }

    fn folder_of(&self, library: &Library) -> PathBuf {
        let source = library.source.as_ref().expect("a source");
        source.folder(self.root())
    }

    fn refused(&self, library: &Library) -> String {
        let error = self.fetch(library).expect_err("it must be refused");
        assert!(error.hint().is_some(), "a hint for: {error}");
        for folder in ["target/sources", "archives"] {
            let left = std::fs::read_dir(self.root().join(folder)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "nothing is left in {folder} of what was refused");
        }
        error.to_string()
    }

    /// Commit and digest of the repository's newest commit, as a manifest pins them.
    fn pinned(&self) -> String {
        let library = self.library("commit = \"unpinned\"");
        let source = library.source.as_ref().expect("a source");
        let pin = self.sources(false).pin(source, &mut |_| {});
        let pin = pin.expect("fetched");
        for folder in ["target", "archives"] {
            std::fs::remove_dir_all(self.root().join(folder)).expect("removed");
        }
        format!("commit = \"{}\"\ntree = \"{}\"", pin.commit, pin.tree)
    }
}

#[test]
fn the_pinned_commit_is_fetched_once_and_kept_for_offline_runs() {
    let world = World::new();
    let pin = world.pinned();
    world.commit("src/a.c", "int later;\n");
    let library = world.library(&format!("{pin}\nfolder = \"src\""));
    assert!(!library.is_cached());
    let folder = world.fetch(&library).expect("fetched");
    let text = std::fs::read_to_string(folder.join("a.c")).expect("unpacked");
    assert_eq!(text, "int a;\n");
    // The archive is enough on a machine without the repository.
    std::fs::remove_dir_all(world.repository()).expect("removed");
    std::fs::remove_dir_all(world.root().join("target")).expect("removed");
    assert!(!library.is_cached());
    let offline = world.sources(true);
    offline.fetch(&library, &mut |_| {}).expect("unpacked");
    assert!(library.is_cached() && folder.join("a.c").is_file());
}

#[test]
fn other_files_than_the_pinned_ones_are_refused_by_both_digests() {
    let world = World::new();
    let pin = world.pinned();
    let tree = pin.rsplit('"').nth(1).expect("a digest").to_owned();
    let other = "0123456789abcdef".repeat(4);
    let said = world.refused(&world.library(&pin.replace(&tree, &other)));
    assert!(said.contains(&tree) && said.contains(&other), "{said}");
}

#[test]
fn an_archive_that_was_changed_in_the_folder_is_refused() {
    let world = World::new();
    let library = world.library(&world.pinned());
    world.fetch(&library).expect("fetched");
    let archives = world.root().join("archives");
    let other = World::new();
    other.commit("src/b.c", "int b;\n");
    let changed = other.library(&other.pinned());
    other.fetch(&changed).expect("fetched");
    let only = |folder: &Path| {
        let mut entries = std::fs::read_dir(folder).expect("a folder");
        entries.next().expect("an archive").expect("read").path()
    };
    let theirs = only(&other.root().join("archives"));
    std::fs::copy(theirs, only(&archives)).expect("copied");
    std::fs::remove_dir_all(world.root().join("target")).expect("removed");
    let error = world.fetch(&library).expect_err("refused");
    assert!(error.to_string().contains("is pinned"), "{error}");
    assert!(!library.is_cached());
}

#[test]
fn a_moved_tag_is_refused_by_both_commits() {
    let world = World::new();
    world.git(&["tag", "v1"]);
    let first = world.git(&["rev-parse", "HEAD"]);
    let pin = format!("{}\ntag = \"v1\"", world.pinned());
    let library = world.library(&pin);
    world.fetch(&library).expect("the tag is where it was");
    for folder in ["target", "archives"] {
        std::fs::remove_dir_all(world.root().join(folder)).expect("removed");
    }
    let second = world.commit("src/a.c", "int other;\n");
    world.git(&["tag", "--force", "--annotate", "--message=moved", "v1"]);
    let said = world.refused(&library);
    assert!(said.contains(&first) && said.contains(&second), "{said}");
}

#[test]
fn an_unpinned_source_is_fetched_only_with_a_pin_of_the_user() {
    let world = World::new();
    let open = world.library("commit = \"unpinned\"");
    let error = world.fetch(&open).expect_err("refused");
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains("selo lab fetch --pin"), "{error}: {hint}");
    let source = open.source.as_ref().expect("a source");
    let pin = world.sources(false).pin(source, &mut |_| {});
    let pin = pin.expect("fetched");
    let mut lock = Lock::read(world.root()).expect("no file yet");
    lock.add(pin.clone()).expect("written");
    let lock = Lock::read(world.root()).expect("the file");
    assert_eq!(lock.of(&world.address()), Some(&pin));
    let mut library = open.clone();
    lock.apply(library.source.as_mut().expect("a source"));
    assert!(library.is_cached(), "the pinned files are in the cache");
    // A later commit is not taken for the pinned one.
    let later = world.commit("src/a.c", "int later;\n");
    let newer = world.sources(false).pin(source, &mut |_| {});
    let mut lock = lock;
    let error = lock.add(newer.expect("fetched")).expect_err("refused");
    let said = error.to_string();
    assert!(
        said.contains(&later) && said.contains(&pin.commit),
        "{said}"
    );
    let text = std::fs::read_to_string(world.root().join(LOCK)).expect("the file");
    assert!(!text.contains(&later));
    let folder = world.fetch(&library).expect("still there");
    let text = std::fs::read_to_string(folder.join("src/a.c")).expect("a file");
    assert_eq!(text, "int a;\n");
}

#[test]
fn links_attributes_hooks_and_submodules_are_harmless() {
    let world = World::new();
    let repository = world.repository();
    std::os::unix::fs::symlink("/etc/passwd", repository.join("src/link.c")).expect("a link");
    std::os::unix::fs::symlink("/etc", repository.join("outside")).expect("a link");
    world.commit("src/b.c", "int b;   // $Id$\n");
    world.commit("large.bin", "x");
    world.commit(
        ".gitattributes",
        "b.c export-ignore\n*.c ident text eol=crlf\nlarge.bin filter=evil\n",
    );
    world.commit(
        ".gitmodules",
        "[submodule \"x\"]\n\tpath = x\n\turl = file:///nowhere\n",
    );
    let head = world.git(&["rev-parse", "HEAD"]);
    let into = format!("160000,{head},x");
    world.git(&["update-index", "--add", "--cacheinfo", &into]);
    world.git(&["commit", "--quiet", "--message=a submodule"]);
    let hook = repository.join(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().expect("a parent")).expect("a folder");
    let ran = repository.with_extension("hook-ran");
    let text = format!("#!/bin/sh\ntouch '{}'\n", ran.display());
    std::fs::write(&hook, text).expect("a file");
    let folder = world
        .fetch(&world.library(&world.pinned()))
        .expect("it is fetched");
    assert!(!folder.join("src/link.c").is_symlink() && !folder.join("outside").is_symlink());
    let b = std::fs::read_to_string(folder.join("src/b.c")).expect("not left out");
    assert_eq!(b, "int b;   // $Id$\n", "the committed bytes");
    assert!(!ran.exists());
    assert!(!folder.join(".git").exists());
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["..", ".git", ".GIT"] {
        let world = World::new();
        let blob = world.git(&["rev-parse", "HEAD:src/a.c"]);
        // git refuses to make such a tree itself, so its object is written as it is.
        let mut tree = format!("100644 {name}\0").into_bytes();
        tree.extend(hex::decode(&blob).expect("an id"));
        let file = world.root().join("tree");
        std::fs::write(&file, &tree).expect("a file");
        let path = file.display().to_string();
        let tree = world.git(&["hash-object", "-t", "tree", "-w", "--literally", &path]);
        let commit = world.git(&["commit-tree", "-m", "hostile", &tree]);
        world.git(&["update-ref", "refs/heads/main", &commit]);
        let pin = format!("commit = \"{commit}\"\ntree = \"{}\"", "0".repeat(64));
        let said = world.refused(&world.library(&pin));
        assert!(
            !said.contains("is pinned"),
            "refused before its digest: {said}"
        );
    }
}

#[test]
fn a_repository_that_is_not_there_is_an_error_with_the_address() {
    let world = World::new();
    let pin = world.pinned();
    std::fs::remove_dir_all(world.repository()).expect("removed");
    let error = world.fetch(&world.library(&pin)).expect_err("refused");
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains(&world.address()), "{error}: {hint}");
}

#[test]
fn manifests_that_pin_no_commit_are_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (commit, tree) = ("a".repeat(40), "b".repeat(64));
    let good =
        format!("git = \"https://example.org/o/t\"\ncommit = \"{commit}\"\ntree = \"{tree}\"");
    let load = |source: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(
            "name = \"t\"\ntitle = \"T\"\nversion = \"1\"\nlicence = \"MIT\"\n[source]\n{source}\n"
        );
        std::fs::write(folder.path().join("library.toml"), text).expect("a file");
        let mut project = Project::load(&root).expect("the project's data");
        project
            .add_library(folder.path())
            .map_err(|error| error.to_string())
    };
    load(&good).expect("a manifest");
    load("git = \"https://example.org/o/t\"\ncommit = \"unpinned\"").expect("a manifest");
    for (bad, said) in [
        (good.replace(&commit, "main"), "40 lower-case"),
        (good.replace(&tree, "1234"), "64 lower-case"),
        (good.replace("https", "http"), "must begin with https"),
        (good.replace("https", "ext"), "must begin with https"),
        (good.replace(&commit, "unpinned"), "has no tree"),
        (format!("{good}\ntag = \"--x\""), "not the name of a tag"),
        (format!("{good}\nfolder = \"../x\""), "inside the archive"),
        (
            format!("{good}\nregistry = \"debian\""),
            "either a registry or git",
        ),
        (
            "package = \"x\"".to_owned(),
            "names a registry, or the address",
        ),
    ] {
        let message = load(&bad).expect_err(&bad);
        assert!(message.contains(said), "{bad}: {message}");
    }
}
