//! The manifest of a bound library, and the files that are written for it.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use super::bound::{Binding, Bound};
use super::glue;
use super::recipe::Recipe;
use super::remedy::{EMPTY, Remedies, text_of};
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::{Implementation, Library, MANIFEST};
use crate::scan::Scanned;
use crate::scan::words::words;

/// The name of the only variant of a bound library.
pub const VARIANT: &str = "plain";

/// What a library does that takes nonces or tags of one size only, or no contexts of signatures.
const ONE_SIZE: &str = "nonces or tags of one size only";
const NO_CONTEXT: &str = "messages without a context only";

/// The words for the sizes that a recipe refuses.
fn refusal(recipe: &Recipe<'_>) -> &'static str {
    match recipe.algorithm.interface {
        Interface::LargeSignature => NO_CONTEXT,
        _ => ONE_SIZE,
    }
}

/// The library of a trial: one implementation, with paths that do not depend on its folder.
/// Its sources are not yet known.
pub fn library(
    scanned: &Scanned,
    recipe: &Recipe<'_>,
    remedies: &Remedies,
    glue: &Path,
    folder: &Path,
) -> Library {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let own = folders(scanned).into_iter().chain(remedies.include.clone());
    let mut include: Vec<String> = own.map(|at| text(&scanned.folder.join(at))).collect();
    if !remedies.empty.is_empty() {
        include.push(text(&folder.join(EMPTY)));
    }
    Library {
        name: "trial".into(),
        title: "trial".into(),
        version: "0".into(),
        licence: "NOASSERTION".into(),
        homepage: None,
        note: None,
        test_only: true,
        by_trial: false,
        families: Vec::new(),
        include,
        flags: [&scanned.flags[..], &remedies.flags, &recipe.flags].concat(),
        cxx_flags: Vec::new(),
        arduino: scanned.arduino,
        link_flags: Vec::new(),
        debian: Vec::new(),
        source: None,
        also: Default::default(),
        cargo: None,
        deviations: Vec::new(),
        implementations: vec![Implementation {
            algorithms: vec![recipe.algorithm.name.clone()],
            variants: vec![VARIANT.into()],
            glue: text(glue),
            program: None,
            sources: Vec::new(),
            include: Vec::new(),
            defines: Vec::new(),
            glue_defines: Vec::new(),
            operations: recipe
                .operations()
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            unproven: false,
            proven_on: None,
            refuses_sizes: recipe.refuses_sizes().then(|| refusal(recipe).to_owned()),
            caller_checks_keys: false,
            caller_clamps: false,
            caller_masks: false,
            draws_iv: false,
            boards: Vec::new(),
            flags: vec!["-Os".into()],
            port_flags: Default::default(),
        }],
        folder: folder.to_owned(),
        root: PathBuf::new(),
    }
}

/// The folders of headers, those nearest to the library's folder first, and the folders above
/// them: a source may name `crypto/aes.h`.
fn folders(scanned: &Scanned) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = vec![PathBuf::new()];
    let first = |folder: &PathBuf| scanned.include.iter().position(|known| known == folder);
    for header in &scanned.headers {
        for folder in header.ancestors().skip(1) {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
    }
    // A header of the language in a folder is a replacement that includes the real one.
    const OF_THE_LANGUAGE: [&str; 10] = [
        "string.h", "stdlib.h", "stdint.h", "stdio.h", "stddef.h", "limits.h", "time.h",
        "unistd.h", "endian.h", "types.h",
    ];
    let replaces = |folder: &Path| {
        let mut names = OF_THE_LANGUAGE.iter();
        names.any(|name| scanned.folder.join(folder).join(name).is_file())
    };
    folders.retain(|folder| folder.as_os_str().is_empty() || !replaces(folder));
    folders.sort_by_key(|folder| {
        let place = first(folder).unwrap_or(scanned.include.len());
        (place, folder.components().count())
    });
    // The user may have named a part of a library, whose sources name the part: `crypto/aes.h`.
    if !replaces(Path::new("..")) {
        folders.push(PathBuf::from(".."));
    }
    folders
}

/// How the implementations of a library are built, where the library itself does not say it.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The optimisation, such as `-O3`.
    pub optimise: &'static str,
    /// The only boards that they are for. Empty: all.
    pub boards: Vec<String>,
}

impl Terms {
    /// Those of a library that a user names.
    const USUAL: &'static Terms = &Terms {
        optimise: "-Os",
        boards: Vec::new(),
    };
}

/// The name of a library's manifest and glue, their folder, and the terms.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    pub name: &'t str,
    pub into: &'t Path,
    pub terms: &'t Terms,
}

impl<'t> Target<'t> {
    /// With the usual terms.
    pub fn new(name: &'t str, into: &'t Path) -> Self {
        let terms = Terms::USUAL;
        Target { name, into, terms }
    }
}

/// The names and texts of the files for a bound library.
pub fn files(scanned: &Scanned, made: &Binding<'_>, target: Target<'_>) -> Vec<(String, String)> {
    let Target { name, into, terms } = target;
    let to_library = relative(into, &scanned.folder);
    let mut files: Vec<(String, String)> = Vec::new();
    let mut listed = String::new();
    for one in made.bound.iter().chain(&made.suspects) {
        let extension = if glue::is_cpp_glue(scanned, &one.recipe) {
            "cpp"
        } else {
            "c"
        };
        let plain = one.recipe.algorithm.name.replace('/', "-");
        let file = format!("glue-{plain}.{extension}");
        implementation(&mut listed, &to_library, one, &file, terms);
        files.push((file, one.glue.clone()));
    }
    let all: Vec<&Bound<'_>> = made.bound.iter().chain(&made.suspects).collect();
    let remedies = Remedies::of_all(all.iter().map(|bound| &bound.remedies));
    for header in &remedies.empty {
        files.push((format!("{EMPTY}/{header}"), text_of(header)));
    }
    files.insert(
        0,
        (
            MANIFEST.to_owned(),
            head(scanned, &remedies, &to_library, name) + &listed,
        ),
    );
    files
}

fn head(scanned: &Scanned, remedies: &Remedies, to_library: &str, name: &str) -> String {
    let title = scanned
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let mut text = format!(
        "# {name}: what it is, and how its images are built. Written by selo lab new-library, which\n\
         # tried each glue against official vectors. docs/researcher/survey-a-library.md explains it.\n\n\
         name = {}\ntitle = {}\nversion = {}\nlicence = {}   # SPDX\n",
        quoted(name),
        quoted(&title),
        quoted(scanned.version.as_deref().unwrap_or("unknown")),
        quoted(scanned.licence.as_deref().unwrap_or("NOASSERTION")),
    );
    let mut folders: Vec<String> = folders(scanned)
        .iter()
        .chain(&remedies.include)
        .map(|folder| quoted(&joined(to_library, folder)))
        .collect();
    if !remedies.empty.is_empty() {
        folders.push(quoted(EMPTY));
    }
    let _ = writeln!(
        text,
        "\n# Folders of headers, relative to this file.\ninclude = [{}]",
        folders.join(", ")
    );
    if !scanned.flags.is_empty() {
        let flags: Vec<String> = scanned.flags.iter().map(|flag| quoted(flag)).collect();
        let _ = writeln!(
            text,
            "\n# Macros of the library's own build.\nflags = [{}]",
            flags.join(", ")
        );
    }
    if scanned.arduino {
        text.push_str("\n# It asks for the headers of an Arduino core.\narduino = true\n");
    }
    for note in &scanned.notes {
        let _ = writeln!(text, "# {note}.");
    }
    text
}

/// Strings of TOML, separated by commas.
fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    quoted.join(", ")
}

fn implementation(
    text: &mut String,
    to_library: &str,
    bound: &Bound<'_>,
    glue: &str,
    terms: &Terms,
) {
    let sources: Vec<String> = bound
        .sources
        .iter()
        .map(|source| joined(to_library, source))
        .collect();
    let operations: Vec<String> = bound
        .recipe
        .operations()
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    let mut flags = vec![terms.optimise.to_owned()];
    flags.extend(bound.remedies.flags.iter().cloned());
    flags.extend(bound.recipe.flags.iter().cloned());
    let _ = write!(
        text,
        "\n[[implementation]]\nalgorithms = [{}]\nvariants = [{}]\nglue = {}\nsources = [{}]\noperations = [{}]\nflags = [{}]\n",
        quoted(&bound.recipe.algorithm.name),
        quoted(VARIANT),
        quoted(glue),
        list(&sources),
        list(&operations),
        list(&flags),
    );
    if !terms.boards.is_empty() {
        let _ = writeln!(text, "boards = [{}]", list(&terms.boards));
    }
    if let Some(source) = bound.recipe.hidden_in() {
        let _ = writeln!(
            text,
            "# Only a file that includes {} can call these functions, as the glue does.",
            source.display()
        );
    }
    if bound.recipe.refuses_sizes() {
        let _ = writeln!(text, "refuses_sizes = {}", quoted(refusal(&bound.recipe)));
    }
    if bound.caller_checks_keys {
        text.push_str("# It encapsulates to any public key, also to one that must be refused [FIPS203, 7.2].\ncaller_checks_keys = true\n");
    }
    if bound.recipe.keys.as_ref().is_some_and(|keys| keys.clamps) {
        text.push_str("# It uses a secret as it is. The glue fixes the bits that must be fixed [RFC7748, 5].\ncaller_clamps = true\n");
    }
    if bound.recipe.keys.as_ref().is_some_and(|keys| keys.masks) {
        text.push_str("# It uses a public value as it is. The glue clears the highest bit [RFC7748, 5].\ncaller_masks = true\n");
    }
    if let Some(board) = &bound.proven_on {
        let _ = writeln!(text, "proven_on = {}", quoted(board));
    }
    if bound.proven_on.is_none() {
        text.push_str(
            "# No official vector passes with this glue. Compare its calls with the library's manual;\n\
             # remove this line when they are right.\nunproven = true\n",
        );
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The way from one folder to another: `..` where it goes up.
fn relative(from: &Path, to: &Path) -> String {
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let down = to[common..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let way: Vec<String> = up.chain(down).collect();
    way.join("/")
}

fn joined(to_library: &str, path: &Path) -> String {
    let path = path.to_string_lossy();
    match (to_library, path.as_ref()) {
        ("", "") => ".".to_owned(),
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// A name for a library, made of a folder's.
pub fn library_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let words = words(&name).join("-");
    if words.is_empty() {
        "library".to_owned()
    } else {
        words
    }
}

/// Writes the files into a folder. Fails, and writes nothing, if one of them exists.
pub fn write(files: &[(String, String)], into: &Path) -> Result<Vec<PathBuf>> {
    let error = |path: &Path, source| Error::Write {
        path: path.to_owned(),
        source,
    };
    std::fs::create_dir_all(into).map_err(|source| error(into, source))?;
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| into.join(name)).collect();
    if let Some(there) = paths.iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(Error::Exists {
            path: there.clone(),
        });
    }
    for (path, (_, text)) in paths.iter().zip(files) {
        use std::io::Write as _;
        let folder = path.parent().unwrap_or(into);
        std::fs::create_dir_all(folder).map_err(|source| error(folder, source))?;
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create_new(true).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|source| error(path, source))?;
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builds_own_folder_of_headers_comes_first() {
        let mut scanned = Scanned {
            headers: vec!["aes.h".into(), "api/aes.h".into()],
            ..Scanned::default()
        };
        let first = |scanned: &Scanned| folders(scanned).first().cloned();
        assert_eq!(first(&scanned), Some(PathBuf::new()));
        scanned.include.push("api".into());
        assert_eq!(first(&scanned), Some("api".into()));
    }
}
