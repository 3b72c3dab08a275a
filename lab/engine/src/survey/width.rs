//! Macros that choose the type of a library's words. A library that is right on one board may be
//! wrong on another because its words are `unsigned int` there, and its sources may offer another
//! type under a macro. The macros are found where a conditional of the preprocessor holds a type of
//! integers. No name is known beforehand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::library::Unit;
use crate::scan;

/// Most definitions that are tried for one library.
const MOST: usize = 10;

/// Most files that are read of one library.
const FILES: usize = 200;

/// A larger file has no types for others.
const LARGEST: u64 = 1 << 20;

/// A definition that may change the type of the library's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The macro, with its value if it has one: `WORDS_ARE_LONG`, `SIZEOF_INT=2`.
    pub define: String,
    /// The file and line of the conditional.
    pub place: String,
}

/// The definitions that may change the type of a unit's words. Those that choose between a narrow
/// and a wide type come first.
pub(super) fn choices(unit: &Unit<'_>) -> Vec<Choice> {
    let mut found: Vec<(bool, Choice)> = Vec::new();
    for path in files(unit) {
        let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
        let Some(bytes) = small.then(|| std::fs::read(&path).ok()).flatten() else {
            continue;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for (define, line, is_clear) in of_text(&String::from_utf8_lossy(&bytes)) {
            if found.iter().all(|(_, known)| known.define != define) {
                let place = format!("{name}:{line}");
                found.push((!is_clear, Choice { define, place }));
            }
        }
    }
    found.sort_by_key(|(unclear, _)| *unclear);
    found.truncate(MOST);
    found.into_iter().map(|(_, choice)| choice).collect()
}

/// A unit's sources, and the library's files that they include, directly or not.
fn files(unit: &Unit<'_>) -> Vec<PathBuf> {
    let folders = unit.include();
    let mut open = unit.sources().unwrap_or_default();
    open.push(unit.glue());
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        let Ok(path) = path.canonicalize() else {
            continue;
        };
        if found.len() >= FILES || !seen.insert(path.clone()) {
            continue;
        }
        let here = path.parent().unwrap_or(Path::new("")).to_owned();
        for name in scan::included(&path) {
            let places = std::iter::once(&here).chain(&folders);
            let mut paths = places.map(|folder| folder.join(&name));
            open.extend(paths.find(|path| path.is_file()));
        }
        found.push(path);
    }
    found
}

/// A conditional of the preprocessor that has not ended.
struct Open<'t> {
    line: usize,
    /// The directives of its branches, such as `ifdef A` and `elif defined(B)`.
    branches: Vec<&'t str>,
    /// It guards a whole file from being included twice.
    guards: bool,
    /// The types of integers that it defines, and the macros that stand for one.
    types: Vec<&'t str>,
    macros: BTreeMap<&'t str, &'t str>,
}

/// The definitions that take another branch of a conditional with types of integers, each with the
/// line of the conditional. True: the conditional has a narrow and a wide type.
fn of_text(text: &str) -> Vec<(String, usize, bool)> {
    let text = plain(text);
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(directive) = line.trim().strip_prefix('#').map(str::trim) else {
            if let (Some(of), Some(last)) = (named_type(line), open.last_mut()) {
                last.types.push(of);
            }
            continue;
        };
        if directive.starts_with("if") {
            open.push(Open {
                line: at + 1,
                branches: vec![directive],
                guards: false,
                types: Vec::new(),
                macros: BTreeMap::new(),
            });
        } else if directive.starts_with("el") {
            let last = open.last_mut();
            last.into_iter()
                .for_each(|last| last.branches.push(directive));
        } else if directive.starts_with("endif") {
            let Some(closed) = open.pop() else { continue };
            found.extend(closed.definitions());
            // Another branch of the conditional around it may have other types as well.
            if let Some(last) = open.last_mut() {
                last.types.extend(&closed.types);
            }
        } else if let Some((name, value)) = definition(directive)
            && let Some(last) = open.last_mut()
        {
            let is_guard = last.branches.len() == 1 && value.is_empty();
            if is_guard && tested(last.branches[0]).iter().any(|of| of == name) {
                last.guards = true;
            } else if is_integer(value) {
                last.types.push(value);
                last.macros.insert(name, value);
            }
        }
    }
    found
}

impl Open<'_> {
    fn definitions(&self) -> Vec<(String, usize, bool)> {
        if self.guards || !self.types.iter().any(|of| may_be_narrow(of)) {
            return Vec::new();
        }
        let mut found: Vec<String> = Vec::new();
        for branch in &self.branches {
            for define in tested(branch) {
                let define = match self.macros.get(define.as_str()) {
                    // The macro is the type itself.
                    Some(of) => format!("{define}={}", widened(of)),
                    None => define,
                };
                if !found.contains(&define) {
                    found.push(define);
                }
            }
        }
        let is_clear = self.types.iter().any(|of| is_wide(of));
        let found = found.into_iter();
        found.map(|define| (define, self.line, is_clear)).collect()
    }
}

/// The text without comments, and with continued lines as one. Lines keep their numbers.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut owed = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (skipped, instead) = if let Some(inside) = rest.strip_prefix("/*") {
            (inside.find("*/").map_or(rest.len(), |end| end + 4), " ")
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), "")
        } else if rest.starts_with("\\\n") {
            (2, " ")
        } else if rest.starts_with("\\\r\n") {
            (3, " ")
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            if c == '\n' {
                out.extend(std::iter::repeat_n('\n', owed));
                owed = 0;
            }
            continue;
        };
        owed += rest[..skipped].matches('\n').count();
        out.push_str(instead);
        rest = &rest[skipped..];
    }
    out
}

/// The type of `typedef unsigned int word;`.
fn named_type(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("typedef")?;
    let rest = rest.split([';', ',']).next()?.trim_end();
    let (of, name) = rest.rsplit_once(char::is_whitespace)?;
    (is_integer(of) && !name.contains(['*', '[', '('])).then_some(of.trim())
}

/// The name and value of `define NAME VALUE`; macros with parameters have none.
fn definition(directive: &str) -> Option<(&str, &str)> {
    let rest = directive.strip_prefix("define")?.trim();
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let (name, value) = rest.split_at(end);
    (!name.is_empty() && !value.starts_with('(')).then_some((name, value.trim()))
}

/// True if a text is a type of integers, such as `unsigned long` or `uint32_t`.
fn is_integer(text: &str) -> bool {
    const WORDS: [&str; 6] = ["unsigned", "signed", "int", "long", "short", "char"];
    let of_stdint = |word: &str| {
        let word = word.trim_start_matches(['u', '_']);
        word.starts_with("int") && word.ends_with("_t")
    };
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| WORDS.contains(&word) || of_stdint(word))
}

/// True for `int` and `unsigned`, whose width the board chooses.
fn may_be_narrow(of: &str) -> bool {
    let mut words = of.split_whitespace();
    words.all(|word| ["unsigned", "signed", "int"].contains(&word))
}

/// True for types with at least 32 bits on every board.
fn is_wide(of: &str) -> bool {
    of.contains("long") || of.contains("32")
}

/// The type with at least 32 bits in the place of an `int`.
fn widened(of: &str) -> String {
    match may_be_narrow(of) {
        true if of.contains("unsigned") => "unsigned long".to_owned(),
        true => "long".to_owned(),
        false => of.to_owned(),
    }
}

/// The definitions with which a directive's condition changes: `NAME`, or `NAME=4` if the condition
/// compares it. Names that belong to the compiler or to the language's own headers are left out: a
/// program that defines them lies about its machine.
fn tested(directive: &str) -> Vec<String> {
    for plain in ["ifdef", "ifndef", "elifdef", "elifndef"] {
        if let Some(rest) = directive.strip_prefix(plain) {
            let name: String = rest.trim().chars().take_while(|c| is_part(*c)).collect();
            return Some(name).filter(|name| is_own(name)).into_iter().collect();
        }
    }
    let condition = directive.trim_start_matches("el").strip_prefix("if");
    let condition = condition.unwrap_or_default();
    let mut found = Vec::new();
    for term in condition.split("&&").flat_map(|part| part.split("||")) {
        let term: String = term.chars().filter(|c| !" \t!()".contains(*c)).collect();
        let defined = term.strip_prefix("defined").map(str::to_owned);
        let name: String = match &defined {
            Some(name) => name.clone(),
            None => term.chars().take_while(|c| is_part(*c)).collect(),
        };
        if !is_own(&name) {
            continue;
        }
        let compared = &term[term.len().min(name.len())..];
        if defined.is_some() {
            found.push(name);
        } else if compared.is_empty() {
            found.push(format!("{name}=1"));
        } else {
            let numbers = both_sides(condition, &name);
            found.extend(numbers.iter().map(|number| format!("{name}={number}")));
        }
    }
    found
}

/// A number for each side of the comparison of a macro with a number.
fn both_sides(condition: &str, name: &str) -> Vec<i64> {
    let Some((_, after)) = condition.split_once(name) else {
        return Vec::new();
    };
    let after = after.trim_start();
    let end = after.find(|c| !"=!<>".contains(c)).unwrap_or(after.len());
    let (sign, value) = after.split_at(end);
    let digits: String = value
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let Ok(number) = digits.parse::<i64>() else {
        return Vec::new();
    };
    match sign {
        "==" => vec![number],
        "<" | ">=" => vec![number.saturating_sub(1), number],
        ">" | "<=" => vec![number, number.saturating_add(1)],
        "" | "!=" => vec![number],
        _ => Vec::new(),
    }
}

/// True if a library may leave a macro to its user.
fn is_own(name: &str) -> bool {
    let of_limits = ["_MAX", "_MIN", "_WIDTH"]
        .iter()
        .any(|end| name.ends_with(end));
    let reserved = name.starts_with("__")
        || name.starts_with('_') && name[1..].starts_with(|c: char| c.is_ascii_uppercase());
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !of_limits && !reserved
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defines(text: &str) -> Vec<String> {
        of_text(text)
            .into_iter()
            .map(|(define, ..)| define)
            .collect()
    }

    #[test]
    fn a_macro_beside_a_type_is_found_however_it_is_tested() {
        let typedefs = "typedef unsigned long u32;\n#else\ntypedef unsigned int u32;\n#endif\n";
        let cases: [(&str, &[&str]); 9] = [
            ("#ifdef X_INT32_AS_LONG", &["X_INT32_AS_LONG"]),
            ("#  if defined ( X )", &["X"]),
            ("#if !defined(A) && defined B", &["A", "B"]),
            ("#if SIZEOF_INT == 2 /* small */", &["SIZEOF_INT=2"]),
            ("#if (INT_BITS < 32)", &["INT_BITS=31", "INT_BITS=32"]),
            ("#if WORDS_LONG", &["WORDS_LONG=1"]),
            ("#if W > 9223372036854775807", &["W=9223372036854775807"]),
            ("#if UINT_MAX == 65535", &[]),
            ("#if defined(__AVR__) || defined _WIN32", &[]),
        ];
        for (condition, wanted) in cases {
            assert_eq!(defines(&format!("{condition}\n{typedefs}")), wanted);
        }
    }

    #[test]
    fn a_macro_may_be_the_type_itself() {
        let text = "#ifndef WORD32\n#define WORD32 unsigned int\n#endif";
        assert_eq!(defines(text), ["WORD32=unsigned long"]);
        let text = "#ifdef SMALL\n#define W unsigned long\n#else\n#define W unsigned int\n#endif";
        assert_eq!(defines(text), ["SMALL"]);
    }

    #[test]
    fn what_chooses_no_width_is_not_tried() {
        let guard = "#ifndef A_H\n#define A_H\ntypedef unsigned int u32;\n#endif";
        assert!(defines(guard).is_empty());
        for other in [
            "#ifdef FAST\n#define ROUNDS 8\n#endif",
            "#ifdef FAST\nint f(unsigned int x);\n#endif",
            "#ifdef FAST\ntypedef unsigned char u8;\n#endif",
            "#endif\n#else\n#elif X\n#if",
            "#ifdef\ntypedef int x;\n#endif",
        ] {
            assert!(defines(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let text = "/* a\n b */\n#define A \\\n 1\n#ifdef X // y\ntypedef int i32;\n#endif";
        assert_eq!(of_text(text), [("X".to_owned(), 5, false)]);
    }
}
