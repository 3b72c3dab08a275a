//! Tests the folder of the lab's own into which a library is copied: from archives, and from
//! folders with the files around them. A hostile archive is refused, and nothing lands outside.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use selo_engine::source::Sources;

/// A file of a zip archive.
struct File<'a> {
    name: &'a str,
    content: &'a [u8],
    /// The mode of Unix in the directory; 0 for none.
    mode: u32,
    /// The size that the directory states, if not the true one.
    states: Option<u32>,
    flags: u16,
}

fn file<'a>(name: &'a str, content: &'a [u8]) -> File<'a> {
    File {
        name,
        content,
        mode: 0o100_644,
        states: None,
        flags: 0,
    }
}

/// A zip archive whose files are deflated.
fn zip(files: &[File<'_>]) -> Vec<u8> {
    let (mut data, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut sum = flate2::Crc::new();
        sum.update(file.content);
        let mut packed =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(file.content).expect("into memory");
        let packed = packed.finish().expect("into memory");
        let mut common = Vec::new();
        for number in [20u16, file.flags, 8, 0, 0] {
            common.extend(number.to_le_bytes());
        }
        let size = file.states.unwrap_or(file.content.len() as u32);
        for number in [sum.sum(), packed.len() as u32, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((file.name.len() as u16).to_le_bytes());
        common.extend(0u16.to_le_bytes());
        let at = data.len() as u32;
        data.extend(b"PK\x03\x04");
        data.extend(&common);
        data.extend(file.name.as_bytes());
        data.extend(&packed);
        directory.extend(b"PK\x01\x02");
        directory.extend((3u16 << 8 | 20).to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend((file.mode << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(file.name.as_bytes());
    }
    let at = data.len() as u32;
    data.extend(&directory);
    data.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        data.extend((files.len() as u16).to_le_bytes());
    }
    data.extend((directory.len() as u32).to_le_bytes());
    data.extend(at.to_le_bytes());
    data.extend(0u16.to_le_bytes());
    data
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        World { folder }
    }

    fn sources(&self) -> Sources {
        Sources::new(&self.folder.path().join("project"), true)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path
    }

    fn unpacked(&self, data: &[u8]) -> Result<PathBuf, String> {
        let archive = self.write("aes-1.0.zip", data);
        self.sources()
            .unpacked(&archive)
            .map_err(|error| error.to_string())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(here) = open.pop() {
        for entry in std::fs::read_dir(&here).expect("a folder").flatten() {
            match entry.file_type().expect("a type").is_dir() {
                true => open.push(entry.path()),
                false => {
                    let path = entry.path();
                    let path = path.strip_prefix(folder).expect("inside");
                    names.push(path.display().to_string());
                }
            }
        }
    }
    names.sort();
    names
}

#[test]
fn a_zip_is_unpacked_without_its_top_folder_links_and_git_files() {
    let world = World::new();
    let mut link = file("aes/link.c", b"/etc/passwd");
    link.mode = 0o120_777;
    let folder = world
        .unpacked(&zip(&[
            file("aes/src/aes.c", b"int a;"),
            link,
            file("aes/.git/config", b"[core]\n\tfsmonitor = touch /tmp/x\n"),
            file("aes/README", b"read me"),
        ]))
        .expect("unpacked");
    assert_eq!(names(&folder), ["README", "src/aes.c"]);
    assert!(folder.ends_with("aes-1.0"), "{}", folder.display());
    let text = std::fs::read(folder.join("src/aes.c")).expect("a file");
    assert_eq!(text, b"int a;");
}

#[test]
fn a_hostile_zip_is_refused_and_leaves_nothing() {
    let mut lies = file("a.c", b"int a;");
    lies.states = Some(3);
    let mut encrypted = file("a.c", b"int a;");
    encrypted.flags = 1;
    let mut enormous = file("a.c", b"int a;");
    enormous.states = Some(u32::MAX);
    let good = zip(&[file("a.c", b"int a;")]);
    let cut = good[..good.len() - 30].to_vec();
    let mut changed = good.clone();
    changed[34] ^= 1;
    for (data, words) in [
        (zip(&[file("../outside", b"x")]), "outside the folder"),
        (
            zip(&[file("a\\..\\..\\outside", b"x")]),
            "outside the folder",
        ),
        (zip(&[file("/outside", b"x")]), "outside the folder"),
        (zip(&[file("a.c", b"x"), file("a.c", b"y")]), "a.c"),
        (zip(&[lies]), "damaged"),
        (zip(&[encrypted]), "encrypted"),
        (zip(&[enormous]), "exceed"),
        (zip(&[]), "contains no file"),
        (cut, "no directory"),
        (changed, "damaged"),
        (b"not a zip at all".to_vec(), "no directory"),
    ] {
        let world = World::new();
        let said = world.unpacked(&data).expect_err("it must be refused");
        assert!(said.contains(words), "{words}: {said}");
        let inputs = world.folder.path().join("project/target/inputs");
        assert_eq!(names(&inputs), Vec::<String>::new());
        assert_eq!(names(world.folder.path()), ["aes-1.0.zip"]);
    }
}

#[test]
fn a_header_of_a_neighbour_finds_those_beside_it() {
    let world = World::new();
    world.write("dist/aes/aes.h", b"#include \"support/types.h\"\n");
    world.write(
        "dist/tools/include/support/types.h",
        b"#include \"inner.h\"\n",
    );
    world.write("dist/tools/lib/inner.h", b"typedef int inner;\n");
    world.write("dist/other/inner.h", b"typedef long inner;\n");
    let folder = world.folder.path().join("dist/aes");
    let copy = world.sources().copied(&folder).expect("copied");
    let around = copy.parent().expect("a parent");
    assert_eq!(names(&around.join("tools/lib")), ["inner.h"]);
    assert!(!around.join("other").exists());
}

#[test]
fn a_folder_is_copied_with_the_files_around_it_that_it_includes() {
    let world = World::new();
    world.write("their/common/types.h", b"#include \"deep.h\"\n");
    world.write("their/common/deep.h", b"typedef int deep;\n");
    world.write("their/common/unused.h", b"\n");
    world.write(
        "their/aes/aes.h",
        b"#include \"../common/types.h\"\n#include \"aes/more.h\"\n",
    );
    world.write("their/aes/more.h", b"#include \"../../../secret.h\"\n");
    world.write("secret.h", b"int secret;\n");
    world.write("their/aes/.git/config", b"");
    let folder = world.folder.path().join("their/aes");
    std::os::unix::fs::symlink("/etc", folder.join("link")).expect("a link");
    let before = names(&world.folder.path().join("their"));
    let copy = world.sources().copied(&folder).expect("copied");
    assert_eq!(names(&copy), ["aes.h", "more.h"]);
    assert!(copy.ends_with("aes"), "{}", copy.display());
    let around = copy.parent().expect("a parent");
    assert_eq!(names(&around.join("common")), ["deep.h", "types.h"]);
    assert_eq!(names(&world.folder.path().join("their")), before);
    // The same files have one copy; a change makes another.
    assert_eq!(world.sources().copied(&folder).expect("copied"), copy);
    world.write("their/aes/more.h", b"\n");
    assert_ne!(world.sources().copied(&folder).expect("copied"), copy);
}
