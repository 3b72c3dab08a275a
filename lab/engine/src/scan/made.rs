//! Functions that no declaration writes: those of tables, assignments of a key, and those that a
//! macro renames.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::declarations::{Function, Parameter};
use super::scanned::{Declared, Scanned};

/// The operations of objects that are tables of functions: `aes.encrypt` of
/// `extern const struct cipher aes;`.
pub(super) fn tables(
    objects: &[(Parameter, PathBuf, bool)],
    operations: &BTreeMap<String, Vec<Function>>,
    scanned: &Scanned,
) -> Vec<(Function, PathBuf, bool)> {
    let mut found: Vec<(Function, PathBuf, bool)> = Vec::new();
    for (object, file, in_header) in objects {
        let tag = object.base.trim_start_matches("struct ").trim();
        let alias = scanned.typedefs.get(tag).map(|alias| alias.base.as_str());
        let of = operations.get(tag).or_else(|| operations.get(alias?));
        for operation in of.into_iter().flatten() {
            let function = Function {
                name: format!("{}.{}", object.name, operation.name),
                ..operation.clone()
            };
            let is_new = found.iter().all(|(known, ..)| known.name != function.name);
            if is_new || *in_header {
                found.push((function, file.clone(), *in_header));
            }
        }
    }
    found
}

/// The call that assigns a key or block to an array: `memcpy(Key, key, size)`.
pub(super) fn assignment(buffer: Parameter) -> Function {
    moving(vec![
        buffer,
        part("void", "key", 1),
        part("size_t", "size", 0),
    ])
}

/// The call that reads a block from an array: `memcpy(block, State, size)`.
pub(super) fn reading(buffer: Parameter) -> Function {
    moving(vec![
        Parameter {
            is_const: false,
            ..part("void", "block", 1)
        },
        buffer,
        part("size_t", "size", 0),
    ])
}

fn part(base: &str, name: &str, pointers: usize) -> Parameter {
    Parameter {
        name: name.to_owned(),
        base: base.to_owned(),
        is_const: pointers > 0,
        pointers,
        array: None,
        is_reference: false,
        is_odd: false,
    }
}

fn moving(parameters: Vec<Parameter>) -> Function {
    Function {
        name: "memcpy".to_owned(),
        class: None,
        result: "void".to_owned(),
        parameters,
        defaults: 0,
        line: 0,
        has_body: false,
        hidden: false,
        is_pure: false,
        is_static: false,
        namespace: String::new(),
    }
}

/// The functions that return a pointer and whose bodies allocate memory.
pub(super) fn allocating<'f>(
    bytes: &[u8],
    functions: &'f [Function],
) -> impl Iterator<Item = &'f Function> {
    let returns = |function: &&Function| function.has_body && function.result.contains('*');
    let any = functions.iter().any(|function| returns(&function));
    // Most files have no such function, and need no further look.
    let text = match any {
        true => code(&String::from_utf8_lossy(bytes)),
        false => String::new(),
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let allocates = move |function: &&Function| {
        let first = function.line.saturating_sub(1).min(lines.len());
        let last = (first + BODY).min(lines.len());
        let text = lines[first..last].join("\n");
        let words = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        body(&text)
            .split(words)
            .any(|word| ["malloc", "calloc", "new"].contains(&word))
    };
    functions.iter().filter(returns).filter(allocates)
}

/// A text without what stands in comments and quotes; its lines stay where they are.
fn code(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut before = ' ';
                for inside in rest.by_ref().skip(1) {
                    if inside == '\n' {
                        kept.push('\n');
                    }
                    if (before, inside) == ('*', '/') {
                        break;
                    }
                    before = inside;
                }
            }
            ('"', _) => {
                let mut escaped = false;
                while let Some(inside) = rest.next_if(|c| *c != '\n') {
                    if inside == '"' && !escaped {
                        break;
                    }
                    escaped = inside == '\\' && !escaped;
                }
            }
            _ => kept.push(character),
        }
    }
    kept
}

/// Most lines of a function that are looked at.
const BODY: usize = 200;

/// The text up to the brace that closes the first.
fn body(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => return &text[..at],
            '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Adds the functions that a macro gives another name: `#define sha256_update sha224_update`.
pub(super) fn aliases(scanned: &mut Scanned) {
    let known = |name: &str| {
        let is = |declared: &&Declared| {
            declared.function.class.is_none() && declared.function.name == name
        };
        scanned.functions.iter().find(is)
    };
    let is_new = |name: &&String| known(name).is_none();
    let names = scanned.macros.iter().filter(|(name, _)| is_new(name));
    let found: Vec<Declared> = names
        .filter_map(|(name, text)| {
            let mut declared = known(text.trim()).filter(|of| of.in_header)?.clone();
            declared.function.name.clone_from(name);
            Some(declared)
        })
        .collect();
    for declared in found {
        let of = &scanned.macros[&declared.function.name];
        if let Some(path) = scanned.definitions.get(of.trim()).cloned() {
            scanned
                .definitions
                .insert(declared.function.name.clone(), path);
        }
        scanned.functions.push(declared);
    }
}

/// Drops macros for the compiler or linker, such as `EXPORT` or `API`, from the types that functions
/// return: only the library's headers define them.
pub(super) fn drop_attributes(scanned: &mut Scanned) {
    const ATTRIBUTES: [&str; 7] = [
        "__attribute__",
        "__declspec",
        "extern",
        "static",
        "inline",
        "__inline",
        "visibility",
    ];
    let macros = &scanned.macros;
    // A macro may stand for another.
    let meaning = |word: &str| {
        let first = macros.get(word)?;
        Some(macros.get(first.trim()).unwrap_or(first).trim())
    };
    let is_attribute = |word: &str| {
        let starts = |text: &str| ATTRIBUTES.iter().any(|start| text.starts_with(start));
        meaning(word).is_some_and(|text| text.is_empty() || starts(text))
    };
    let is_static = |word: &str| {
        let text = meaning(word);
        text.is_some_and(|text| text.split_whitespace().any(|part| part == "static"))
    };
    for declared in &mut scanned.functions {
        let hidden = declared.function.result.split_whitespace().any(is_static);
        declared.by_inclusion |= hidden && !declared.in_header;
        let result = &mut declared.function.result;
        let kept: Vec<&str> = result
            .split_whitespace()
            .filter(|word| !is_attribute(word))
            .collect();
        if !kept.is_empty() && kept.len() < result.split_whitespace().count() {
            *result = kept.join(" ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::declarations::read;
    use super::*;

    #[test]
    fn only_code_allocates() {
        let text = "/* 'new ' */\nuint8_t *a(void) { /* a new\n block */ return b; }\n\
            uint8_t *c(void) { // uses malloc\n    log(\"new \\\" malloc\"); return b; }\n\
            uint8_t *d(int n) { return malloc(n); }\nuint8_t *e(int n) { return new uint8_t[n]; }\n\
            uint8_t *f(void) { return renew (b); }\nvoid g(void) { malloc(1); }\n";
        let functions = read(text.as_bytes()).functions;
        let names = allocating(text.as_bytes(), &functions);
        let names: Vec<&str> = names.map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["d", "e"]);
    }
}
