//! Writes a program as an Arduino sketch, for boards whose images are built by the tools of an
//! Arduino core: files that include the sources, and the build command of the board's file.

use std::path::{Path, PathBuf};

use crate::board::Sketch;

/// The name of the sketch's folder and of its main file.
const NAME: &str = "agent";

/// A source and its compiler flags.
pub(crate) type Source = (PathBuf, Vec<String>);

/// The flags for the whole sketch: include folders, and the flags that all sources have in common.
/// Definitions go into the files instead; the core sets the dialect.
pub(crate) fn flags(sources: &[Source], include: &[PathBuf]) -> Vec<String> {
    let include = include
        .iter()
        .map(|folder| format!("-I{}", folder.display()));
    let of_all = |flag: &&String| {
        !flag.starts_with("-D")
            && !flag.starts_with("-std=")
            && sources.iter().all(|(_, flags)| flags.contains(flag))
    };
    let common = sources.first().map_or(&[][..], |(_, flags)| flags);
    let common = common.iter().filter(of_all).cloned();
    include.chain(common).collect()
}

/// The text of the sketch's file for a source: its definitions, then an `#include` of the source.
fn stand_in(source: &Path, flags: &[String]) -> String {
    let mut text = String::new();
    for define in flags.iter().filter_map(|flag| flag.strip_prefix("-D")) {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        text.push_str(&format!("#define {name} {value}\n"));
    }
    text.push_str(&format!("#include \"{}\"\n", source.display()));
    text
}

/// Writes the sketch below `folder`. Returns the sketch's own folder.
pub(crate) fn write(folder: &Path, sources: &[Source]) -> std::io::Result<PathBuf> {
    let sketch = folder.join(NAME);
    let own = sketch.join("src");
    std::fs::create_dir_all(&own)?;
    std::fs::write(
        sketch.join(format!("{NAME}.ino")),
        "// All of it is in src.\n",
    )?;
    for (number, (source, flags)) in sources.iter().enumerate() {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        // The number keeps sources of the same name apart, since all are in one folder.
        let file = own.join(format!("{number:03}-{name}"));
        std::fs::write(file, stand_in(source, flags))?;
    }
    Ok(sketch)
}

/// The command that compiles the sketch.
pub(crate) fn command(of: &Sketch, sketch: &Path, build: &Path, flags: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for word in &of.compile {
        match word.as_str() {
            "{flags}" => words.extend(flags.iter().cloned()),
            word => words.push(
                word.replace("{sketch}", &sketch.display().to_string())
                    .replace("{build}", &build.display().to_string())
                    .replace("{flags}", &flags.join(" ")),
            ),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn definitions_are_in_the_files_and_what_all_have_in_common_is_in_the_command() {
        let sources = [
            (
                "/p/a.c".into(),
                words("-O2 -DBOTH -DONE=\"x\" -std=gnu11 -funroll-loops"),
            ),
            ("/p/b.cpp".into(), words("-O2 -DBOTH")),
        ];
        let include = ["/p/include".into()];
        let flags = flags(&sources, &include);
        assert_eq!(flags, words("-I/p/include -O2"));
        let (source, own) = &sources[0];
        assert_eq!(
            stand_in(source, own),
            "#define BOTH 1\n#define ONE \"x\"\n#include \"/p/a.c\"\n"
        );
        let of = Sketch {
            compile: words("tool --fqbn a:b:c c={flags} {flags} {sketch} --out={build}"),
            image: "agent.ino.elf".into(),
            version: Vec::new(),
            install: String::new(),
        };
        assert_eq!(
            command(&of, Path::new("/s"), Path::new("/b"), &flags),
            // All flags in one argument, then one argument for each flag.
            [
                words("tool --fqbn a:b:c"),
                vec!["c=-I/p/include -O2".into()],
                words("-I/p/include -O2 /s --out=/b")
            ]
            .concat()
        );
    }

    #[test]
    fn two_sources_of_one_name_are_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = [
            ("/p/one/aes.c".into(), Vec::new()),
            ("/p/two/aes.c".into(), Vec::new()),
        ];
        let sketch = write(folder.path(), &sources).expect("writes");
        assert!(sketch.join("agent.ino").is_file());
        let read = |name: &str| std::fs::read_to_string(sketch.join("src").join(name));
        assert_eq!(
            read("000-aes.c").expect("there"),
            "#include \"/p/one/aes.c\"\n"
        );
        assert_eq!(
            read("001-aes.c").expect("there"),
            "#include \"/p/two/aes.c\"\n"
        );
    }
}
