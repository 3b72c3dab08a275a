//! Tests the sources of libraries with archives made here: only the pinned archive is unpacked.
//! Anything else is refused and leaves nothing behind. No registry is contacted.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use selo_engine::Error;
use selo_engine::library::Library;
use selo_engine::project::Project;
use selo_engine::source::Sources;
use sha2::Digest as _;

/// A tar entry: its name in the header, and its content or target.
enum Entry<'a> {
    File(&'a str, &'a [u8]),
    Link(&'a str, &'a str),
}

/// A tar archive. It contains names unchecked: the tar crate would refuse the bad ones.
fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut tar = Vec::new();
    for entry in entries {
        let (name, content, kind, target): (&str, &[u8], _, &str) = match entry {
            Entry::File(name, content) => (name, content, tar::EntryType::Regular, ""),
            Entry::Link(name, target) => (name, &[], tar::EntryType::Symlink, target),
        };
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(kind);
        let bytes = header.as_mut_bytes();
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytes[157..157 + target.len()].copy_from_slice(target.as_bytes());
        header.set_cksum();
        tar.extend_from_slice(header.as_bytes());
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(&tar).expect("into memory");
    out.finish().expect("into memory")
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("archives")).expect("a folder");
        World { folder }
    }

    fn put(&self, data: &[u8]) {
        std::fs::write(self.folder.path().join("archives/thing-1.tar.gz"), data).expect("a file");
    }

    /// A library whose source is pinned to `data`, whatever the folder contains.
    fn library(&self, data: &[u8], more: &str) -> Library {
        let digest = hex::encode(sha2::Sha256::digest(data));
        let text = format!(
            "name = \"thing\"\ntitle = \"Thing\"\nversion = \"1\"\nlicence = \"MIT\"\n\
             [source]\nregistry = \"debian\"\npackage = \"thing\"\nversion = \"1-1\"\n\
             archive = \"thing-1.tar.gz\"\nsha256 = \"{digest}\"\n{more}"
        );
        let mut library: Library = toml::from_str(&text).expect("a manifest");
        library.root = self.folder.path().to_owned();
        library
    }

    /// Fetches without a registry.
    fn fetch(&self, library: &Library) -> selo_engine::Result<PathBuf> {
        let archives = self.folder.path().join("archives");
        let sources = Sources::new(self.folder.path(), true).with_archives(&archives);
        sources.fetch(library, &mut |_| {})?;
        Ok(library
            .all_sources()
            .next()
            .expect("one")
            .folder(self.folder.path()))
    }

    fn refused(&self, library: &Library) -> String {
        let error = self.fetch(library).expect_err("it must be refused");
        assert!(error.hint().is_some(), "a hint for: {error}");
        assert!(!library.is_cached());
        let unpacked = self.folder.path().join("target/sources");
        let left = std::fs::read_dir(&unpacked).map_or(0, Iterator::count);
        assert_eq!(left, 0, "nothing is left of what was refused");
        error.to_string()
    }
}

fn good() -> Vec<u8> {
    archive(&[
        Entry::File("thing-1/src/a.c", b"int a;"),
        Entry::Link("thing-1/src/link.c", "/etc/passwd"),
        Entry::File("thing-1/README", b"read me"),
    ])
}

#[test]
fn what_is_pinned_is_unpacked_once() {
    let world = World::new();
    let library = world.library(&good(), "folder = \"src\"\n");
    world.put(&good());
    assert!(!library.is_cached());
    let folder = world.fetch(&library).expect("it is there");
    assert_eq!(
        std::fs::read(folder.join("a.c")).expect("unpacked"),
        b"int a;"
    );
    assert!(!folder.join("link.c").exists(), "links are left out");
    assert!(folder.join("../README").is_file());
    // The archive is not needed again.
    world.put(b"something else");
    assert!(library.is_cached());
    world.fetch(&library).expect("it is still there");
}

#[test]
fn another_archive_is_refused_by_both_digests() {
    let world = World::new();
    let library = world.library(&good(), "");
    let other = archive(&[Entry::File("thing-1/src/a.c", b"int b;")]);
    world.put(&other);
    let said = world.refused(&library);
    for data in [&good(), &other] {
        let digest = hex::encode(sha2::Sha256::digest(data));
        assert!(said.contains(&digest), "{said} names {digest}");
    }
}

#[test]
fn nothing_lands_outside() {
    for name in ["../outside", "thing/../../outside", "/selo-outside"] {
        let world = World::new();
        let bad = archive(&[Entry::File("thing/a", b"a"), Entry::File(name, b"b")]);
        world.put(&bad);
        let said = world.refused(&world.library(&bad, ""));
        assert!(said.contains("outside the folder"), "{name}: {said}");
        assert!(!Path::new("/selo-outside").exists());
    }
}

#[test]
fn a_cut_archive_is_refused_even_if_it_is_pinned() {
    let world = World::new();
    let whole = good();
    for size in [0, 10, whole.len() / 2, whole.len() - 4] {
        let cut = &whole[..size];
        world.put(cut);
        world.refused(&world.library(cut, ""));
    }
}

#[test]
fn offline_says_what_is_missing() {
    let world = World::new();
    let said = world.refused(&world.library(&good(), ""));
    assert!(
        said.contains("thing 1-1") && said.contains("offline"),
        "{said}"
    );
}

#[test]
fn an_alternative_takes_the_place_of_what_cannot_be_had() {
    let world = World::new();
    let other = archive(&[Entry::File("elsewhere/lib/src/a.c", b"int c;")]);
    let digest = hex::encode(sha2::Sha256::digest(&other));
    let alternative = format!(
        "folder = \"src\"\n[[source.alternatives]]\nregistry = \"crates\"\npackage = \"other\"\n\
         version = \"2\"\narchive = \"other-2.crate\"\nsha256 = \"{digest}\"\nfolder = \"lib/src\"\n"
    );
    let library = world.library(&good(), &alternative);
    std::fs::write(world.folder.path().join("archives/other-2.crate"), &other).expect("a file");
    let folder = world.fetch(&library).expect("the alternative");
    assert_eq!(
        std::fs::read(folder.join("a.c")).expect("unpacked"),
        b"int c;"
    );
}

/// Concurrent fetches all find the complete sources.
#[test]
fn two_may_fetch_at_once() {
    let world = World::new();
    let library = world.library(&good(), "folder = \"src\"\n");
    world.put(&good());
    std::thread::scope(|scope| {
        let both: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| world.fetch(&library)))
            .collect();
        for one in both {
            let folder = one.join().expect("no panic").expect("it is there");
            assert!(folder.join("a.c").is_file());
        }
    });
}

#[test]
fn manifests_that_pin_nothing_are_errors() {
    let digest = "0".repeat(64);
    let cases = [
        ("sha256 = \"12\"", "sha256 must be"),
        ("sha256 = \"ABCDEF\"", "sha256 must be"),
        (
            &format!("sha256 = \"{digest}\"\narchive = \"../a.tar.gz\""),
            "archive must be",
        ),
        (
            &format!("sha256 = \"{digest}\"\narchive = \"a.rar\""),
            "must end in one of",
        ),
        (
            &format!("sha256 = \"{digest}\"\narchive = \"a.tgz\"\nfolder = \"../b\""),
            "inside the archive",
        ),
        (
            &format!("sha256 = \"{digest}\"\narchive = \"a.tgz\"\nlicense = \"MIT\""),
            "unknown field",
        ),
    ];
    for (lines, wanted) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["lab/boards", "lab/algorithms", "lab/libraries/thing"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        let text = format!(
            "name = \"thing\"\ntitle = \"Thing\"\nversion = \"1\"\nlicence = \"MIT\"\n\
             [source]\nregistry = \"debian\"\npackage = \"thing\"\nversion = \"1\"\n{lines}\n"
        );
        std::fs::write(folder.path().join("lab/libraries/thing/library.toml"), text)
            .expect("a file");
        match Project::load(folder.path()) {
            Err(error @ Error::Data { .. }) => {
                assert!(error.to_string().contains(wanted), "{lines}: {error}");
            }
            other => panic!("{lines}: {other:?}"),
        }
    }
}
