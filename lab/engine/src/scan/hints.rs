//! What the files of a library's build say of its sources and macros: `library.json` of PlatformIO,
//! `library.properties` of Arduino, `CMakeLists.txt` and `Makefile`. Only literal entries are read;
//! nothing is executed. The result is a hint: where it leads nowhere, the lab goes without it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::Scanned;

/// A larger file of a build is not read.
const LARGEST: u64 = 1 << 20;

/// The hints of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `-D` and `-U` flags of the compiler.
    pub flags: Vec<String>,
    /// Sources that the library is not built from, relative to the folder.
    pub left_out: BTreeSet<PathBuf>,
    /// Folders of headers, in their order, relative to the folder.
    pub include: Vec<PathBuf>,
}

impl Hints {
    /// Reads the hints of a scanned folder.
    pub fn read(scanned: &Scanned) -> Hints {
        let mut hints = Hints::default();
        let text = |name: &str| {
            let path = scanned.folder.join(name);
            let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
            let bytes = small.then(|| std::fs::read(path).unwrap_or_default());
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        if let Some(json) = text("library.json") {
            hints.of_platformio(&json, scanned);
        } else if text("library.properties").is_some() && scanned.folder.join("src").is_dir() {
            // Arduino compiles the folder src only, if there is one.
            hints.keep(scanned, |path| path.starts_with("src"));
        }
        if let Some(cmake) = text("CMakeLists.txt") {
            hints.of_cmake(&cmake, scanned);
        }
        if let Some(make) = text("Makefile") {
            hints.of_make(&make, scanned);
        }
        // A source that another file includes is part of it.
        let included: BTreeSet<&str> = scanned
            .includes
            .values()
            .flatten()
            .filter_map(|name| name.rsplit('/').next())
            .collect();
        hints.left_out.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            !included.contains(name.as_ref())
        });
        // No library is built from nothing.
        if scanned
            .sources
            .iter()
            .all(|source| hints.left_out.contains(source))
        {
            hints.left_out.clear();
        }
        hints.flags.sort();
        hints.flags.dedup();
        hints
    }

    /// True if there is nothing to apply.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.left_out.is_empty() && self.include.is_empty()
    }

    /// Removes the sources that are left out from a scan, and adds the flags.
    pub fn apply(&self, scanned: &mut Scanned) {
        let kept = |path: &PathBuf| !self.left_out.contains(path);
        scanned.sources.retain(kept);
        scanned.definitions.retain(|_, file| kept(file));
        scanned.functions.retain(|declared| kept(&declared.file));
        scanned.flags.clone_from(&self.flags);
        scanned.include.clone_from(&self.include);
        for path in &self.left_out {
            let note = format!("{} is not among the sources of its build", path.display());
            scanned.notes.push(note);
        }
        // A function that only a left out source defines is not part of the library.
        let defined: BTreeSet<String> = scanned.definitions.keys().cloned().collect();
        scanned.functions.retain(|declared| {
            let has_source = defined.contains(&declared.function.qualified());
            declared.in_header || declared.by_inclusion || has_source
        });
    }

    fn keep(&mut self, scanned: &Scanned, test: impl Fn(&Path) -> bool) {
        let dropped = scanned.sources.iter().filter(|path| !test(path));
        self.left_out.extend(dropped.cloned());
    }

    fn of_platformio(&mut self, text: &str, scanned: &Scanned) {
        let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
            return;
        };
        let build = &json["build"];
        for flags in words(&build["flags"]) {
            self.flags_of(&flags);
            self.include_of(&flags, scanned);
        }
        // PlatformIO looks for headers there, by default in `include`.
        self.add_include(build["includeDir"].as_str().unwrap_or("include"), scanned);
        let top = build["srcDir"].as_str().unwrap_or_else(|| {
            if scanned.folder.join("src").is_dir() {
                "src"
            } else {
                "."
            }
        });
        let top = top.trim_start_matches("./").trim_end_matches('/');
        let top = if top == "." { "" } else { top };
        let mut filters: Vec<(bool, String)> = words(&build["srcFilter"])
            .iter()
            .flat_map(|text| filters(text))
            .collect();
        if filters.is_empty() {
            filters.push((true, "*".to_owned()));
        }
        self.keep(scanned, |path| {
            let Ok(inside) = path.strip_prefix(top) else {
                return false;
            };
            let inside = inside.to_string_lossy();
            let last = filters
                .iter()
                .rev()
                .find(|(_, pattern)| fits(pattern, &inside));
            last.is_some_and(|(takes, _)| *takes)
        });
    }

    fn of_cmake(&mut self, text: &str, scanned: &Scanned) {
        let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
        let mut literal = true;
        let mut lists = Lists::default();
        for (command, arguments) in commands(text) {
            match command.as_str() {
                "set" => {
                    let value = arguments.get(1..).unwrap_or_default().join(" ");
                    lists.set(arguments.first().map_or("", String::as_str), &value, false);
                }
                "add_library" | "target_sources" => {
                    let sources = lists.expand(&arguments.get(1..).unwrap_or_default().join(" "));
                    for name in sources.iter().filter(|name| name.contains(['.', '$'])) {
                        literal &= scanned.folder.join(name).is_file();
                        listed.insert(PathBuf::from(name.trim_start_matches("./")));
                    }
                }
                "add_definitions" | "add_compile_definitions" | "target_compile_definitions" => {
                    let skip = usize::from(command.starts_with("target"));
                    for name in arguments.iter().skip(skip) {
                        self.definition(name);
                    }
                }
                _ => {}
            }
        }
        let is_source = |path: &PathBuf| scanned.sources.contains(path);
        if literal && listed.iter().any(is_source) {
            self.keep(scanned, |path| listed.contains(path));
        }
    }

    /// Adds a macro as CMake names it: with or without `-D`.
    fn definition(&mut self, name: &str) {
        const SCOPES: [&str; 3] = ["PUBLIC", "PRIVATE", "INTERFACE"];
        if SCOPES.contains(&name) {
            return;
        }
        let name = name.strip_prefix("-D").unwrap_or(name);
        self.flags_of(&format!("-D{name}"));
    }

    fn of_make(&mut self, text: &str, scanned: &Scanned) {
        let joined = text.replace("\\\n", " ");
        self.list_of_make(&joined, scanned);
        for line in joined.lines() {
            let Some((name, value)) = line.split_once('=') else {
                continue;
            };
            let name = name.trim().trim_end_matches(['+', ':', '?']).trim();
            if ["CFLAGS", "CPPFLAGS", "CXXFLAGS", "DEFINES", "DEFS"].contains(&name) {
                self.flags_of(value.split('#').next().unwrap_or_default());
            }
        }
    }

    /// Keeps the sources that a list names, itself or by its objects. Without such a list, or with
    /// one that is computed, all stay.
    fn list_of_make(&mut self, text: &str, scanned: &Scanned) {
        const SOURCES: [&str; 9] = [
            "SRC", "SRCS", "SOURCE", "SOURCES", "CSRC", "CSRCS", "OBJ", "OBJS", "OBJECTS",
        ];
        let mut lists = Lists::default();
        for line in text.lines().filter(|line| !line.starts_with('\t')) {
            let line = line.split('#').next().unwrap_or_default();
            if let Some((name, value)) = line.split_once('=') {
                let adds = name.ends_with('+');
                lists.set(name.trim_end_matches(['+', ':', '?']).trim(), value, adds);
            }
        }
        let is_list = |name: &str| {
            let name = name.rsplit('_').next().unwrap_or_default().to_uppercase();
            SOURCES.contains(&name.as_str())
        };
        let named = lists.of.keys().filter(|name| is_list(name));
        let named: Vec<String> = named
            .flat_map(|name| lists.expand(&format!("$({name})")))
            .collect();
        let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
        for name in &named {
            let path = PathBuf::from(name.trim_start_matches("./"));
            // An object may be in a folder of its own.
            let of_object = |source: &&PathBuf| match path.extension().is_some_and(|end| end == "o")
            {
                true => source.file_stem() == path.file_stem(),
                false => **source == path,
            };
            let found: Vec<&PathBuf> = scanned.sources.iter().filter(of_object).collect();
            if found.is_empty() {
                return;
            }
            listed.extend(found.into_iter().cloned());
        }
        if !listed.is_empty() {
            // Another library of the build has those of a shared folder.
            let shared = |path: &Path| path.starts_with(crate::source::COMMON);
            self.keep(scanned, |path| listed.contains(path) || shared(path));
        }
    }

    /// Adds the folders of headers among flags: `-Iinc`, or `-I inc`.
    fn include_of(&mut self, text: &str, scanned: &Scanned) {
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word.strip_prefix("-I") {
                Some("") => self.add_include(words.next().unwrap_or_default(), scanned),
                Some(folder) => self.add_include(folder, scanned),
                None => {}
            }
        }
    }

    /// Adds a folder in which the build looks for headers, if the library has it.
    fn add_include(&mut self, folder: &str, scanned: &Scanned) {
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        let folder = PathBuf::from(folder);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let has_header = scanned.headers.iter().any(|path| path.starts_with(&folder));
        let inside = folder.components().next().is_some() && folder.components().all(is_plain);
        if inside && has_header && !self.include.contains(&folder) {
            self.include.push(folder);
        }
    }

    /// Adds the macros among flags. Other flags, such as optimisation, are the lab's to choose.
    fn flags_of(&mut self, text: &str) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_=-".contains(c);
        for flag in text.split_whitespace() {
            let of_macro = flag.starts_with("-D") || flag.starts_with("-U");
            let named = flag
                .chars()
                .nth(2)
                .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
            if of_macro && named && flag.chars().all(plain) {
                self.flags.push(flag.to_owned());
            }
        }
    }
}

/// The variables of a file of a build.
#[derive(Default)]
struct Lists {
    of: std::collections::BTreeMap<String, String>,
}

/// Deepest nesting of variables.
const NESTED: usize = 8;

impl Lists {
    fn set(&mut self, name: &str, value: &str, adds: bool) {
        let list = self.of.entry(name.to_owned()).or_default();
        if !adds {
            list.clear();
        }
        list.push(' ');
        list.push_str(value);
    }

    /// The words of a text, with `${NAME}` and `$(NAME)` replaced. What is not known stays.
    fn expand(&self, text: &str) -> Vec<String> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        for _ in 0..NESTED {
            let next: Vec<String> = words.iter().flat_map(|word| self.once(word)).collect();
            if next == words {
                break;
            }
            words = next;
        }
        words
    }

    fn once(&self, word: &str) -> Vec<String> {
        // `$(SRCS:.c=.o)` names objects of the same sources.
        let inner = word.strip_prefix("$(").or_else(|| word.strip_prefix("${"));
        let inner = inner.and_then(|rest| rest.strip_suffix([')', '}']));
        let name = inner.map(|inner| inner.split(':').next().unwrap_or_default());
        match name.and_then(|name| self.of.get(name)) {
            Some(value) => value.split_whitespace().map(str::to_owned).collect(),
            None => vec![word.to_owned()],
        }
    }
}

/// A text, or a list of texts.
fn words(value: &serde_json::Value) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    match value {
        serde_json::Value::Array(list) => list.iter().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    }
}

/// The entries of a filter of sources, such as `+<*> -<test/>`: true if it takes, and the pattern.
fn filters(text: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for part in text.split('>') {
        if let Some((sign, pattern)) = part.split_once('<') {
            found.push((sign.trim().ends_with('+'), pattern.trim().to_owned()));
        }
    }
    found
}

/// True if a path fits a pattern, in which `*` stands for any text. A folder fits with its files.
fn fits(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    if let Some(folder) = pattern.strip_suffix('/') {
        return Path::new(path).starts_with(folder);
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty() || rest.starts_with('/');
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The commands of a CMake file and their arguments, without comments.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for part in text.split(')') {
        if let Some((name, arguments)) = part.split_once('(') {
            let name = name.split_whitespace().last().unwrap_or_default();
            let arguments = arguments.split_whitespace();
            let arguments = arguments.map(|one| one.trim_matches('"').to_owned());
            found.push((name.to_lowercase(), arguments.collect()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
