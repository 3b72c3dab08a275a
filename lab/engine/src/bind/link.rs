//! The sources that a recipe needs: those whose objects define what the glue refers to, and what
//! these refer to in turn. Tests, examples and other ports of a library drop out by themselves,
//! and a source that does not compile matters only if something refers to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol};

use crate::error::{Error, Result};
use crate::scan::Scanned;

/// The global symbols of an object.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    pub defined: BTreeSet<String>,
    pub wanted: BTreeSet<String>,
}

/// Reads the symbols of an object.
pub fn symbols(path: &Path) -> Result<Symbols> {
    let data = std::fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let file = object::File::parse(&*data).map_err(|error| Error::Image {
        path: path.to_owned(),
        message: error.to_string(),
    })?;
    let mut symbols = Symbols::default();
    for symbol in file.symbols() {
        let Ok(name) = symbol.name() else { continue };
        if name.is_empty() {
            continue;
        }
        if symbol.is_undefined() {
            symbols.wanted.insert(name.to_owned());
        } else if symbol.is_global() {
            symbols.defined.insert(name.to_owned());
        }
    }
    Ok(symbols)
}

/// Most sources that are compiled to find a symbol.
const MOST_SOURCES: usize = 120;

/// The same for a symbol that no source mentions.
const MOST_GUESSED: usize = 24;

/// Compiles one source of the library, by its path relative to the library's folder.
pub type Compile<'a> = &'a dyn Fn(&Path) -> Result<PathBuf>;

/// What the trials of a library found out about its sources, compiled alike.
#[derive(Debug, Default)]
pub struct Known {
    /// The symbols of each compiled source, or the compiler's message.
    symbols: BTreeMap<PathBuf, std::result::Result<Symbols, String>>,
    texts: BTreeMap<PathBuf, String>,
}

/// The endings of functions that a library has once for each kind of processor.
const PROCESSORS: [&str; 8] = [
    "_ref",
    "_portable",
    "_generic",
    "_c",
    "_sse2",
    "_ssse3",
    "_avx2",
    "_neon",
];

impl Known {
    /// The message of a source that does not compile and that mentions `name`: the one that
    /// defines it, if that is known, or else the first.
    pub fn failure(&mut self, scanned: &Scanned, name: &str) -> Option<(PathBuf, String)> {
        let failed: Vec<(PathBuf, String)> = self
            .symbols
            .iter()
            .filter_map(|(path, known)| Some((path.clone(), known.clone().err()?)))
            .collect();
        let names = identifiers(name);
        let defines = scanned.definitions.get(&names.join("::"));
        let of_definition = failed.iter().find(|(path, _)| Some(path) == defines);
        of_definition.cloned().or_else(|| {
            failed
                .into_iter()
                .find(|(path, _)| self.mentions(&scanned.folder, path, &names))
        })
    }

    /// The macro that a source pastes to the name of a function and that nothing defines: the object
    /// has `blake2s_initSUFFIX` in place of `blake2s_init`.
    pub fn pasted(&self, name: &str) -> Option<String> {
        let capitals = |rest: &str| {
            let fits = |c: char| c.is_ascii_uppercase() || c == '_';
            rest.len() > 2
                && rest.starts_with(|c: char| c.is_ascii_uppercase())
                && rest.chars().all(fits)
        };
        let compiled = self.symbols.values().flatten();
        let mut rests = compiled
            .flat_map(|symbols| &symbols.defined)
            .filter_map(|symbol| symbol.strip_prefix(name));
        rests.find(|rest| capitals(rest)).map(str::to_owned)
    }

    /// The messages of the sources that do not compile.
    pub fn messages(&self) -> String {
        let failed = self.symbols.values();
        let failed: Vec<&str> = failed
            .filter_map(|known| known.as_ref().err().map(String::as_str))
            .collect();
        failed.join("\n")
    }

    /// True if a source contains all of the names.
    fn mentions(&mut self, folder: &Path, path: &Path, names: &[String]) -> bool {
        let text = self.texts.entry(path.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(folder.join(path)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        !names.is_empty() && names.iter().all(|name| text.contains(name.as_str()))
    }
}

/// The objects of a library, compiled when something refers to them.
pub struct Objects<'a> {
    scanned: &'a Scanned,
    compile: Compile<'a>,
    known: &'a mut Known,
    /// What the board's toolchain defines. A library that has a function of that name as well is
    /// linked with its own only if the scan knows the definition: half of a library's sources call
    /// `memcpy`, and compiling them all to look for it takes long.
    runtime: &'a BTreeSet<String>,
}

impl<'a> Objects<'a> {
    pub fn new(
        scanned: &'a Scanned,
        compile: Compile<'a>,
        known: &'a mut Known,
        runtime: &'a BTreeSet<String>,
    ) -> Objects<'a> {
        Objects {
            scanned,
            compile,
            known,
            runtime,
        }
    }

    /// The sources that define what `wanted` names, directly or not. Of several sources with one
    /// symbol, the first counts. What the glue defines itself is not looked for. Errors of the
    /// machine are returned.
    pub fn closure(&mut self, glue: &Symbols) -> Result<Vec<PathBuf>> {
        let mut taken: BTreeSet<PathBuf> = BTreeSet::new();
        let mut open: Vec<String> = glue.wanted.iter().cloned().collect();
        let mut seen: BTreeSet<String> = glue.defined.clone();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some(path) = self.definition(&name, &taken)? else {
                continue;
            };
            if let Some(Ok(symbols)) = self.known.symbols.get(&path) {
                open.extend(symbols.wanted.iter().cloned());
            }
            taken.insert(path);
        }
        Ok(taken.into_iter().collect())
    }

    fn definition(&mut self, symbol: &str, taken: &BTreeSet<PathBuf>) -> Result<Option<PathBuf>> {
        let defines = |known: &std::result::Result<Symbols, String>| {
            known.as_ref().is_ok_and(|symbols| {
                symbols.defined.contains(symbol) && !symbols.defined.contains("main")
            })
        };
        let in_taken = taken
            .iter()
            .find(|path| self.known.symbols.get(*path).is_some_and(defines));
        if let Some(path) = in_taken {
            return Ok(Some(path.clone()));
        }
        let names = identifiers(symbol);
        let key = names.join("::");
        let mut candidates: Vec<PathBuf> = self
            .scanned
            .definitions
            .get(&key)
            .cloned()
            .into_iter()
            .collect();
        // A source that another includes needs what stands before it there.
        let whole: Vec<&PathBuf> = candidates
            .iter()
            .filter_map(|path| self.only_includer(path))
            .collect();
        let whole: Vec<PathBuf> = whole.into_iter().cloned().collect();
        candidates.splice(0..0, whole);
        let scanned = self.scanned;
        let of_library = !self.runtime.contains(symbol);
        let sources = scanned.sources.iter().filter(|_| of_library);
        candidates.extend(
            sources
                .filter(|path| self.known.mentions(&scanned.folder, path, &names))
                .cloned(),
        );
        if of_library && self.is_made_by_macro(symbol, taken) {
            // A source for each function is named after it.
            let named_after = |path: &&PathBuf| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                stem.len() >= 4 && symbol.contains(&*stem)
            };
            candidates.extend(scanned.sources.iter().filter(named_after).cloned());
            candidates.extend(scanned.sources.iter().take(MOST_GUESSED).cloned());
        }
        let mut dispatcher = None;
        for path in candidates {
            self.look_at(&path)?;
            if self.known.symbols.get(&path).is_some_and(defines) {
                if !self.chooses(&path, symbol) {
                    return Ok(Some(path));
                }
                dispatcher.get_or_insert(path);
            }
        }
        Ok(dispatcher)
    }

    /// Compiles a source, unless it is known or enough are.
    fn look_at(&mut self, path: &Path) -> Result<()> {
        if self.known.symbols.contains_key(path) || self.known.symbols.len() >= MOST_SOURCES {
            return Ok(());
        }
        let known = match (self.compile)(path) {
            Ok(object) => Ok(symbols(&object)?),
            Err(Error::Compile { output, .. }) => Err(output),
            Err(Error::Data { message, .. }) => Err(message),
            Err(error) => return Err(error),
        };
        self.known.symbols.insert(path.to_owned(), known);
        Ok(())
    }

    /// True if a source only chooses a function by the processor: it wants the function under the
    /// same name with an ending, such as `_ref` or `_sse2`. Another that has the name itself is the
    /// function.
    fn chooses(&self, path: &Path, symbol: &str) -> bool {
        let is_of_one = |wanted: &String| {
            let ending = wanted.strip_prefix(symbol);
            ending.is_some_and(|ending| PROCESSORS.contains(&ending))
        };
        let known = self.known.symbols.get(path);
        known.is_some_and(|known| {
            let symbols = known.as_ref();
            symbols.is_ok_and(|symbols| symbols.wanted.iter().any(is_of_one))
        })
    }

    /// The source that includes a source, if there is one such.
    fn only_includer(&self, path: &Path) -> Option<&'a PathBuf> {
        let name = path.file_name()?.to_string_lossy();
        let includes = |names: &Vec<String>| {
            let mut bare = names.iter().map(|name| name.rsplit('/').next());
            bare.any(|bare| bare == Some(&*name))
        };
        let scanned = self.scanned;
        let mut includers = scanned.sources.iter().filter(|source| {
            let names = scanned.includes.get(*source);
            *source != path && names.is_some_and(includes)
        });
        let first = includers.next()?;
        includers.next().is_none().then_some(first)
    }

    /// True if a symbol that no source mentions may still be the library's: macros make names of
    /// parts. Names of the compiler's and the language's run-time are none.
    fn is_made_by_macro(&self, symbol: &str, taken: &BTreeSet<PathBuf>) -> bool {
        const RUNTIME: [&str; 14] = [
            "__", "_Z", "mem", "str", "agent_", "port_", "malloc", "free", "calloc", "realloc",
            "printf", "puts", "abort", "_exit",
        ];
        !RUNTIME.iter().any(|start| symbol.starts_with(start)) && taken.len() < 2 * MOST_GUESSED
    }
}

/// The identifiers of a symbol: itself in C; in C++ those that its mangled name holds, such as
/// `AES` and `encrypt` of `_ZN3AES7encryptEPh`.
fn identifiers(symbol: &str) -> Vec<String> {
    let Some(mangled) = symbol.strip_prefix("_Z") else {
        return vec![symbol.to_owned()];
    };
    let mut found: Vec<String> = Vec::new();
    let mut rest = mangled;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits: String = rest[at..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let after = &rest[at + digits.len()..];
        let length = digits.parse::<usize>().unwrap_or(0);
        match after.get(..length).filter(|name| !name.is_empty()) {
            Some(name) => {
                found.push(name.to_owned());
                rest = &after[length..];
            }
            None => rest = after,
        }
        // Constructors and destructors have no name of their own.
        let unnamed = ["C1", "C2", "D0", "D1", "D2"]
            .iter()
            .any(|kind| rest.starts_with(kind));
        // Types of parameters follow the name.
        if unnamed || rest.starts_with('E') || found.len() >= 2 || !mangled.starts_with('N') {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_hold_identifiers() {
        assert_eq!(identifiers("aes_encrypt"), ["aes_encrypt"]);
        assert_eq!(
            identifiers("_ZN6AES12812encryptBlockEPhPKh"),
            ["AES128", "encryptBlock"]
        );
        assert_eq!(identifiers("_Z7encryptPhS_"), ["encrypt"]);
        assert_eq!(identifiers("_ZTV6AES128"), ["AES128"]);
        assert_eq!(identifiers("_ZN11BlockCipherC2Ev"), ["BlockCipher"]);
        assert!(identifiers("_Z9").is_empty());
    }
}
