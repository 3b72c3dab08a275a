//! What the files of a build say.

use super::*;

fn hints(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = ["aes.h", "aes.c", "src/fast.c", "src/part.c", "src/old/a.c"];
    let written = sources.iter().map(|name| (*name, "int f(void);\n"));
    for (name, text) in written.chain(files.iter().copied()) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let scanned = crate::scan::scan(folder.path()).expect("a library");
    let hints = Hints::read(&scanned);
    let left_out = hints.left_out.iter();
    let left_out = left_out.map(|path| path.display().to_string());
    (hints.flags, left_out.collect())
}

#[test]
fn platformio_filters_sources_and_sets_macros() {
    let json = r#"{"build": {"flags": ["-DAES=1 -O3", "-I inc"], "srcFilter": "+<*> -<old/>"}}"#;
    let (flags, left_out) = hints(&[("library.json", json)]);
    assert_eq!(flags, ["-DAES=1"]);
    assert_eq!(left_out, ["aes.c", "src/old/a.c"]);
    let (_, left_out) = hints(&[("library.json", "{\"build\": {\"srcDir\": \".\"}}")]);
    assert!(left_out.is_empty(), "{left_out:?}");
    let (flags, left_out) = hints(&[("library.json", "not JSON")]);
    assert!(flags.is_empty() && left_out.is_empty());
}

#[test]
fn platformio_names_folders_of_headers() {
    let folders = |json: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.c", "include/a.h", "inc/b.h", "api/a.h"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, "int f(void);\n").expect("a file");
        }
        std::fs::write(folder.path().join("library.json"), json).expect("a file");
        let mut scanned = crate::scan::scan(folder.path()).expect("a library");
        Hints::read(&scanned).apply(&mut scanned);
        let found = scanned.include.iter();
        found
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(folders("{}"), ["include"]);
    let named = r#"{"build": {"includeDir": "./api", "flags": "-Iinc -I none"}}"#;
    assert_eq!(folders(named), ["inc", "api"]);
    let outside = r#"{"build": {"includeDir": "../..", "flags": "-I/usr/include -I"}}"#;
    assert!(folders(outside).is_empty());
}

#[test]
fn a_sketch_keeps_its_functions() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "void aesEncrypt(unsigned char *block) { block[0] = 0; }\n";
    std::fs::write(folder.path().join("aes.ino"), text).expect("a sketch");
    let mut scanned = crate::scan::scan(folder.path()).expect("a library");
    Hints::read(&scanned).apply(&mut scanned);
    assert_eq!(scanned.functions.len(), 1);
}

#[test]
fn arduino_compiles_src_only() {
    let (_, left_out) = hints(&[("library.properties", "name=x\n")]);
    assert_eq!(left_out, ["aes.c"]);
}

#[test]
fn cmake_and_make_name_sources_and_macros() {
    let cmake = "add_library(x STATIC # the\n aes.c src/fast.c)\n\
        target_compile_definitions(x PUBLIC A B=2 ${C})\n";
    let (flags, left_out) = hints(&[("CMakeLists.txt", cmake)]);
    assert_eq!(flags, ["-DA", "-DB=2"]);
    assert_eq!(left_out, ["src/old/a.c", "src/part.c"]);
    // A list that is computed says nothing, and what another file includes stays.
    let (_, left_out) = hints(&[("CMakeLists.txt", "add_library(x aes.c ${MORE})\n")]);
    assert!(left_out.is_empty(), "{left_out:?}");
    let includes = ("src/fast.c", "#include \"part.c\"\n");
    let (_, left_out) = hints(&[("CMakeLists.txt", cmake), includes]);
    assert_eq!(left_out, ["src/old/a.c"]);
    let listed = "set(SOURCES aes.c ${MORE})\nset(MORE src/fast.c)\nadd_library(x ${SOURCES})\n";
    let (_, left_out) = hints(&[("CMakeLists.txt", listed)]);
    assert_eq!(left_out, ["src/old/a.c", "src/part.c"]);
    let make = "SRCS = aes.c \\\n  $(MORE)\nMORE := ./src/part.c\nOBJS = $(SRCS:.c=.o)\n";
    let (_, left_out) = hints(&[("Makefile", make)]);
    assert_eq!(left_out, ["src/fast.c", "src/old/a.c"]);
    let (_, left_out) = hints(&[("Makefile", "OBJS += build/fast.o\n")]);
    assert_eq!(left_out, ["aes.c", "src/old/a.c", "src/part.c"]);
    let (_, left_out) = hints(&[("Makefile", "SRCS = $(wildcard *.c)\n")]);
    assert!(left_out.is_empty(), "{left_out:?}");
    let make = "CFLAGS += -Wall -DFAST -DX=$(Y) \\\n -DTWO\nall: ; echo -DNO=1\n";
    let (flags, _) = hints(&[("Makefile", make)]);
    assert_eq!(flags, ["-DFAST", "-DTWO"]);
}

#[test]
fn patterns() {
    for (pattern, path, wanted) in [
        ("*", "a/b.c", true),
        ("*.c", "a/b.c", true),
        ("a/", "a/b.c", true),
        ("a", "a/b.c", true),
        ("a", "ab.c", false),
        ("x*.c", "a.c", false),
        ("a*b*.c", "a1b2.c", true),
    ] {
        assert_eq!(fits(pattern, path), wanted, "{pattern} {path}");
    }
}
