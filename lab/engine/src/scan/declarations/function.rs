//! Functions, methods, and pointers to functions.

use super::item::{Function, Token, is_name};
use super::parameter::{defaults, parameters};
use super::scope::{Scope, namespace};

/// Words before a bracket that is not the list of a function's parameters.
const NO_FUNCTIONS: [&str; 12] = [
    "__attribute__",
    "__declspec",
    "_Alignas",
    "alignas",
    "_Static_assert",
    "static_assert",
    "if",
    "while",
    "for",
    "switch",
    "return",
    "sizeof",
];

/// Words before a result that are not part of its type.
const PREFIXES: [&str; 8] = [
    "extern",
    "static",
    "inline",
    "virtual",
    "explicit",
    "constexpr",
    "__inline",
    "__inline__",
];

fn word(statement: &[Token], at: usize) -> Option<&str> {
    statement.get(at).map(|token| token.text.as_str())
}

/// The function that a statement declares, if it declares one. A constructor has no result.
pub(super) fn function(statement: &[Token], scopes: &[Scope], has_body: bool) -> Option<Function> {
    if matches!(
        word(statement, 0),
        Some("typedef" | "using" | "return" | "friend")
    ) {
        return None;
    }
    let open = parameters_open(statement)?;
    let name = word(statement, open - 1).filter(|name| is_name(name))?;
    let before = |distance: usize| {
        open.checked_sub(distance)
            .and_then(|at| word(statement, at))
    };
    let (class, first) = match (before(3), before(2)) {
        (Some(class), Some("::")) if is_name(class) => (Some(class.to_owned()), open - 3),
        _ => (None, open - 1),
    };
    if first.checked_sub(1).and_then(|at| word(statement, at)) == Some("~") {
        return None; // a destructor
    }
    // A method that is written where it is defined shows no access: its class says it.
    let from_outside = class.is_some();
    let (class, public) = match scopes.last() {
        Some(Scope::Class { name, public, .. }) => (Some(name.clone()), *public),
        _ => (class, true),
    };
    let mut result = result(statement, first);
    // Without a type it is a constructor, a destructor, or the use of a macro.
    let is_constructor = Some(name) == class.as_deref() && !from_outside;
    if is_constructor {
        result.clear();
    } else if result.is_empty() || Some(name) == class.as_deref() {
        return None;
    }
    let close = closing(statement, open)?;
    let is_static = statement[..first]
        .iter()
        .any(|token| token.text == "static");
    let tail: Vec<&str> = statement[close + 1..]
        .iter()
        .map(|token| token.text.as_str())
        .collect();
    Some(Function {
        name: name.to_owned(),
        hidden: (is_static && class.is_none()) || !public || (from_outside && has_body),
        class,
        result: result.join(" "),
        parameters: parameters(&statement[open + 1..close]),
        defaults: defaults(&statement[open + 1..close]),
        line: statement[open - 1].line,
        has_body,
        allocates: false,
        is_pure: tail.ends_with(&["=", "0"]),
        is_static,
        namespace: namespace(scopes),
    })
}

/// The index of the bracket before the parameters. It is never 0.
fn parameters_open(statement: &[Token]) -> Option<usize> {
    let mut at = 0;
    loop {
        match word(statement, at)? {
            "(" => {
                let before = word(statement, at.checked_sub(1)?)?;
                if !NO_FUNCTIONS.contains(&before) {
                    return Some(at);
                }
                at = closing(statement, at)?;
            }
            "=" | "operator" => return None,
            _ => {}
        }
        at += 1;
    }
}

/// The words of the result's type, of those before `first`.
fn result(statement: &[Token], first: usize) -> Vec<&str> {
    let mut result = Vec::new();
    let mut skip = 0;
    for (index, token) in statement[..first].iter().enumerate() {
        let text = token.text.as_str();
        if index < skip || text.starts_with('"') || PREFIXES.contains(&text) {
            continue;
        }
        if NO_FUNCTIONS.contains(&text) {
            skip = closing(statement, index + 1).map_or(index, |end| end + 1);
            continue;
        }
        result.push(text);
    }
    result
}

/// A member that points to a function: `int (*set_key)(struct ctx *, const uint8_t *key);`.
pub(super) fn operation(statement: &[Token], scope: Option<&Scope>) -> Option<Function> {
    let Some(Scope::Class { .. }) = scope else {
        return None;
    };
    let open = statement.iter().position(|token| token.text == "(")?;
    let word = |at: usize| word(statement, at);
    let name = word(open + 2).filter(|name| is_name(name))?;
    if word(open + 1) != Some("*") || word(open + 3) != Some(")") || word(open + 4) != Some("(") {
        return None;
    }
    let close = closing(statement, open + 4)?;
    let result: Vec<&str> = statement[..open]
        .iter()
        .map(|token| token.text.as_str())
        .collect();
    Some(Function {
        name: name.to_owned(),
        class: None,
        result: result.join(" "),
        parameters: parameters(&statement[open + 5..close]),
        defaults: 0,
        line: statement[open].line,
        has_body: false,
        allocates: false,
        hidden: false,
        is_pure: false,
        is_static: false,
        namespace: String::new(),
    })
}

/// The index of the bracket that closes the one at `open`.
fn closing(statement: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in statement.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
