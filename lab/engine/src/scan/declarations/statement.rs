//! What a statement declares.

use super::function::{function, operation};
use super::item::{Declarations, Function, Parameter, Token, is_name};
use super::parameter::parameter;
use super::scope::Scope;

/// Keeps the first meaning of a name, unless that is a macro that the file does not define: the
/// other branch of its `#ifdef` then has the meaning.
pub(super) fn note_alias(alias: Parameter, found: &mut Declarations) {
    let looks_like_macro = |base: &str| {
        let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        base.chars().all(capital) && found.tested.contains(base)
    };
    let known = found.typedefs.get(&alias.name);
    let is_open = known.is_none_or(|known| {
        looks_like_macro(&known.base) && !found.macros.contains_key(&known.base)
    });
    if is_open {
        found.typedefs.insert(alias.name.clone(), alias);
    }
}

/// The types that a `typedef` names, as parameters of those names and types.
pub(super) fn typedef(statement: &[Token]) -> Vec<Parameter> {
    let Some((first, rest)) = statement.split_first() else {
        return Vec::new();
    };
    let is_function = rest.iter().any(|token| token.text == "(");
    if first.text != "typedef" || is_function {
        return Vec::new();
    }
    let mut named: Vec<Parameter> = Vec::new();
    for part in rest.split(|token| token.text == ",") {
        let Some(mut alias) = parameter(part) else {
            continue;
        };
        if let Some(first) = named.first() {
            // Only the first name has the type before it.
            alias = Parameter {
                name: alias.base,
                base: first.base.clone(),
                ..alias
            };
        }
        if !alias.name.is_empty() && !alias.base.is_empty() {
            named.push(alias);
        }
    }
    named
}

/// Names the structure `tag`, which may be empty: `} name, *pointer;`.
pub(super) fn name_structure(tag: &str, statement: &[Token], found: &mut Declarations) {
    for part in statement.split(|token| token.text == ",") {
        let pointers = part.iter().filter(|token| token.text == "*").count();
        let Some(name) = part.iter().find(|token| is_name(&token.text)) else {
            continue;
        };
        let alias = Parameter {
            name: name.text.clone(),
            base: tag.to_owned(),
            is_const: false,
            pointers,
            array: None,
            is_reference: false,
            is_odd: false,
        };
        found.typedefs.entry(name.text.clone()).or_insert(alias);
        if let Some(members) = found.members.get(tag).cloned() {
            found.members.entry(name.text.clone()).or_insert(members);
        }
        if found.unions.contains(tag) {
            found.unions.insert(name.text.clone());
        }
        if let Some(constants) = found.enums.get(tag).cloned() {
            found.enums.entry(name.text.clone()).or_insert(constants);
        }
        if let Some(operations) = found.operations.get(tag).cloned() {
            found
                .operations
                .entry(name.text.clone())
                .or_insert(operations);
        }
    }
    found.members.remove("");
    found.unions.remove("");
    found.enums.remove("");
    found.operations.remove("");
}

/// The constants of an enumeration, with the names by which others write them.
pub(super) fn constants(
    name: &str,
    scoped: bool,
    statement: &[Token],
    outer: Option<&Scope>,
    found: &mut Declarations,
) {
    let of_class = match outer {
        Some(Scope::Class { name, .. }) => format!("{name}::"),
        _ => String::new(),
    };
    let before = if scoped {
        format!("{of_class}{name}::")
    } else {
        of_class
    };
    let names = statement
        .split(|token| token.text == ",")
        .filter_map(|part| part.first())
        .filter(|token| is_name(&token.text));
    let constants = names
        .map(|token| format!("{before}{}", token.text))
        .collect();
    found.enums.insert(name.to_owned(), constants);
}

/// What a statement without a body declares: a function, a constructor, a member or an object.
pub(super) fn declaration(statement: &[Token], scopes: &[Scope], found: &mut Declarations) {
    let scope = scopes.last();
    if let Some(operation) = operation(statement, scope) {
        if let Some(Scope::Class { name, .. }) = scope {
            found
                .operations
                .entry(name.clone())
                .or_default()
                .push(operation);
        }
    } else if let Some(declared) = function(statement, scopes, false) {
        add(declared, found);
    } else if matches!(scope, Some(Scope::Class { .. })) {
        member(statement, scope, found);
    } else {
        object(statement, found);
    }
}

/// Adds a function, or a constructor.
pub(super) fn add(function: Function, found: &mut Declarations) {
    let is_constructor = function.result.is_empty();
    // A caller may leave out the last parameters.
    let left_out = function.defaults.min(function.parameters.len());
    let shorter = |fewer: usize| {
        let mut shorter = function.clone();
        shorter
            .parameters
            .truncate(function.parameters.len() - fewer);
        shorter.defaults = 0;
        shorter
    };
    let shorter: Vec<Function> = (1..=left_out).map(shorter).collect();
    match (&function.class, is_constructor, function.hidden) {
        (Some(class), true, true) => {
            found.closed.insert(class.clone());
        }
        (_, true, _) => found.constructors.push(function),
        _ => found.functions.push(function),
    }
    for function in shorter {
        add(function, found);
    }
}

/// An array of bytes that other files can write and that holds a key.
fn key_buffer(statement: &[Token], found: &mut Declarations) {
    let plain: Vec<Token> = statement
        .iter()
        .filter(|token| token.text != "extern")
        .cloned()
        .collect();
    if let Some(buffer) = parameter(&plain)
        && buffer.pointers == 1
        && buffer.array.is_some()
        && !buffer.is_const
        && buffer.name.to_lowercase().ends_with("key")
        && found.keys.iter().all(|known| known.name != buffer.name)
    {
        found.keys.push(buffer);
    }
}

/// An object of a structure that other files can use.
pub(super) fn object(statement: &[Token], found: &mut Declarations) {
    let words: Vec<&str> = statement.iter().map(|token| token.text.as_str()).collect();
    let hidden = ["(", "static", "typedef", "using", "return", "PROGMEM"];
    if !words.iter().any(|word| hidden.contains(word)) {
        key_buffer(statement, found);
        globals(statement, found);
    }
    let is_shared = words.contains(&"extern") || words.contains(&"const");
    let odd = ["(", "static", "typedef", "using", "return"];
    if !is_shared || words.iter().any(|word| odd.contains(word)) {
        return;
    }
    let plain: Vec<Token> = statement
        .iter()
        .filter(|token| token.text != "extern")
        .cloned()
        .collect();
    if let Some(object) = parameter(&plain)
        && !object.name.is_empty()
        && !object.base.is_empty()
    {
        match object.pointers {
            0 => found.objects.push(object),
            1 if object.array.is_some() && !object.is_const => found.arrays.push(object),
            _ => {}
        }
    }
}

/// Notes the variables of a statement that other files can write: `byte in[16], out[16];`.
fn globals(statement: &[Token], found: &mut Declarations) {
    let plain: Vec<Token> = statement
        .iter()
        .filter(|token| token.text != "extern")
        .cloned()
        .collect();
    let mut parts = plain.split(|token| token.text == ",");
    let Some(first) = parts.next().and_then(parameter) else {
        return;
    };
    let of_first = |part: &[Token]| {
        let of = parameter(part)?;
        Some(Parameter {
            name: of.base,
            base: first.base.clone(),
            is_const: first.is_const,
            ..of
        })
    };
    let others: Vec<Parameter> = parts.filter_map(of_first).collect();
    let all = [first.clone()].into_iter().chain(others);
    let is_useful = |one: &Parameter| {
        let size = ["nk", "nr"].contains(&one.name.to_lowercase().as_str());
        let known =
            [1, 2].contains(&one.pointers) && one.array.is_some() || one.pointers == 0 && size;
        known && !one.is_const && !one.is_odd && !one.is_reference && !one.base.is_empty()
    };
    found.globals.extend(all.filter(is_useful));
}

/// Adds the member that a statement declares to its structure.
fn member(statement: &[Token], scope: Option<&Scope>, found: &mut Declarations) {
    if let Some(Scope::Class { name, public, .. }) = scope
        && let Some(member) = parameter(statement)
    {
        if !public {
            let names = found.private_members.entry(name.clone()).or_default();
            names.insert(member.name.clone());
        }
        found.members.entry(name.clone()).or_default().push(member);
    }
}
