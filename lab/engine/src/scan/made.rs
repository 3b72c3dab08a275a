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
        allocates: false,
        hidden: false,
        is_pure: false,
        is_static: false,
        namespace: String::new(),
    }
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
