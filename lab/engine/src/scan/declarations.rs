//! Reads what a C or C++ file declares: functions, methods, macros with a value. It reads
//! text, not a build: a library that does not compile yet is what it is for. It understands
//! what headers are written in, passes over what it does not understand, and takes any bytes
//! at all without complaint.

mod parameter;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use parameter::{parameter, parameters};
use tokens::tokens;

/// What one file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    pub functions: Vec<Function>,
    /// Macros without parameters, and their text.
    pub macros: BTreeMap<String, String>,
    /// What is included, in quotes or brackets.
    pub includes: Vec<String>,
    /// Classes by name, with the classes that they are made from.
    pub classes: BTreeMap<String, Vec<String>>,
    /// Macros that `#if`, `#ifdef` and `#ifndef` test.
    pub tested: BTreeSet<String>,
    /// Names that `typedef` gives to types; a structure without a tag has an empty base.
    pub typedefs: BTreeMap<String, Parameter>,
    /// The members of structures, by tag or by the name that `typedef` gives.
    pub members: BTreeMap<String, Vec<Parameter>>,
}

/// A function or method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub class: Option<String>,
    /// The type of what it gives, as written.
    pub result: String,
    pub parameters: Vec<Parameter>,
    pub line: usize,
    /// Defined here, not only declared.
    pub has_body: bool,
    /// Cannot be called from another file: static, or not public.
    pub hidden: bool,
    /// `= 0`: its class cannot be used itself.
    pub is_pure: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Empty if the declaration has none.
    pub name: String,
    /// The type without `const`, pointers and arrays: `uint8_t`, `struct AES_ctx`.
    pub base: String,
    pub is_const: bool,
    /// How many `*` and `[]`.
    pub pointers: usize,
    /// What stands in the brackets.
    pub array: Option<String>,
    /// A reference, a pointer to a function or something else that is not understood.
    pub is_odd: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

/// Longest statement that is kept: none that declares a function has so many words.
const STATEMENT: usize = 2048;

/// Deepest nesting that is followed.
const DEPTH: usize = 4096;

/// What a brace opened.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    /// `extern "C"` or a namespace.
    Open,
    Class {
        name: String,
        public: bool,
        /// It stands in a `typedef`, whose name follows the closing brace.
        named_later: bool,
    },
    Closed,
}

/// Reads a file. Bytes that are not UTF-8 are as good as spaces.
pub fn read(bytes: &[u8]) -> Declarations {
    let text = String::from_utf8_lossy(bytes);
    let mut found = Declarations::default();
    let tokens = tokens(&text, &mut found);
    let mut scopes: Vec<Scope> = Vec::new();
    let mut branches: Vec<usize> = Vec::new();
    let mut statement: Vec<Token> = Vec::new();
    let mut round = 0usize;
    // The structure that a typedef is about to name.
    let mut unnamed: Option<String> = None;
    for token in tokens {
        match token.text.as_str() {
            // Of the branches of #if, each begins where the first did.
            "#if" => branches.push(scopes.len()),
            "#else" => {
                if let Some(&depth) = branches.last() {
                    scopes.truncate(depth);
                }
            }
            "#endif" => {
                branches.pop();
            }
            "{" if round == 0 || scopes.last() == Some(&Scope::Closed) => {
                let scope = match scopes.last() {
                    Some(Scope::Closed) => Scope::Closed,
                    outer => opened(&statement, outer, &mut found),
                };
                if scopes.len() < DEPTH {
                    scopes.push(scope);
                }
                statement.clear();
                round = 0;
            }
            "}" => {
                unnamed = match scopes.pop() {
                    Some(Scope::Class {
                        name,
                        named_later: true,
                        ..
                    }) => Some(name),
                    _ => None,
                };
                statement.clear();
                round = 0;
            }
            _ if scopes.last() == Some(&Scope::Closed) => {}
            ";" if round == 0 => {
                if let Some(tag) = unnamed.take() {
                    name_structure(&tag, &statement, &mut found);
                } else if statement.first().is_some_and(|word| word.text == "typedef") {
                    for alias in typedef(&statement) {
                        found.typedefs.entry(alias.name.clone()).or_insert(alias);
                    }
                } else if let Some(declared) = function(&statement, scopes.last(), false) {
                    found.functions.push(declared);
                } else {
                    member(&statement, scopes.last(), &mut found);
                }
                statement.clear();
            }
            ":" if is_access(&statement) => {
                if let Some(Scope::Class { public, .. }) = scopes.last_mut() {
                    *public = statement.first().is_some_and(|word| word.text == "public");
                }
                statement.clear();
            }
            text => {
                match text {
                    "(" => round += 1,
                    ")" => round = round.saturating_sub(1),
                    _ => {}
                }
                statement.push(token);
                if statement.len() > STATEMENT {
                    statement.clear();
                    round = 0;
                }
            }
        }
    }
    found
}

/// The types that a `typedef` names, as parameters of those names and types.
fn typedef(statement: &[Token]) -> Vec<Parameter> {
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
fn name_structure(tag: &str, statement: &[Token], found: &mut Declarations) {
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
            is_odd: false,
        };
        found.typedefs.entry(name.text.clone()).or_insert(alias);
        if let Some(members) = found.members.get(tag).cloned() {
            found.members.entry(name.text.clone()).or_insert(members);
        }
    }
    found.members.remove("");
}

/// Adds the member that a statement declares to its structure.
fn member(statement: &[Token], scope: Option<&Scope>, found: &mut Declarations) {
    if let Some(Scope::Class { name, .. }) = scope
        && let Some(member) = parameter(statement)
    {
        found.members.entry(name.clone()).or_default().push(member);
    }
}

fn is_access(statement: &[Token]) -> bool {
    matches!(statement, [word] if ["public", "private", "protected"].contains(&word.text.as_str()))
}

/// What the brace after a statement opens; a function that begins there is added.
fn opened(statement: &[Token], outer: Option<&Scope>, found: &mut Declarations) -> Scope {
    let has = |word: &str| statement.iter().any(|token| token.text == word);
    let words: Vec<&str> = statement.iter().map(|token| token.text.as_str()).collect();
    if has("namespace")
        || matches!(words.as_slice(), ["extern", language] if language.starts_with('"'))
    {
        return Scope::Open;
    }
    if has("(") {
        found.functions.extend(function(statement, outer, true));
        return Scope::Closed;
    }
    let keyword = words
        .iter()
        .position(|word| ["class", "struct"].contains(word));
    let Some(at) = keyword else {
        return Scope::Closed;
    };
    let named_later = words[0] == "typedef";
    let Some(name) = words.get(at + 1).filter(|word| is_name(word)) else {
        if named_later && at + 1 == words.len() {
            found.members.remove("");
            return Scope::Class {
                name: String::new(),
                public: true,
                named_later,
            };
        }
        return Scope::Closed;
    };
    let bases = words.iter().skip_while(|word| **word != ":").skip(1);
    let bases = bases.filter(|word| {
        is_name(word) && !["public", "private", "protected", "virtual"].contains(word)
    });
    found.classes.insert(
        (*name).to_owned(),
        bases.map(|word| (*word).to_owned()).collect(),
    );
    Scope::Class {
        name: (*name).to_owned(),
        public: words[at] == "struct",
        named_later,
    }
}

/// The function that a statement declares, if it declares one.
fn function(statement: &[Token], scope: Option<&Scope>, has_body: bool) -> Option<Function> {
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
    let word = |at: usize| statement.get(at).map(|token| token.text.as_str());
    if matches!(word(0), Some("typedef" | "using" | "return" | "friend")) {
        return None;
    }
    let mut at = 0;
    let open = loop {
        let here = word(at)?;
        if here == "(" {
            let before = word(at.checked_sub(1)?)?;
            if NO_FUNCTIONS.contains(&before) {
                at = closing(statement, at)? + 1;
                continue;
            }
            break at;
        }
        if here == "=" || here == "operator" {
            return None;
        }
        at += 1;
    };
    let name = word(open - 1).filter(|name| is_name(name))?;
    let (class, first) = match (
        open.checked_sub(3).and_then(word),
        open.checked_sub(2).and_then(word),
    ) {
        (Some(class), Some("::")) if is_name(class) => (Some(class.to_owned()), open - 3),
        _ => (None, open - 1),
    };
    // A method that is written where it is defined shows no access: its class says it.
    let from_outside = class.is_some();
    let (class, public) = match scope {
        Some(Scope::Class { name, public, .. }) => (Some(name.clone()), *public),
        _ => (class, true),
    };
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
    let mut result: Vec<&str> = Vec::new();
    let mut skip = 0;
    for (index, token) in statement[..first].iter().enumerate() {
        if index < skip || token.text.starts_with('"') || PREFIXES.contains(&token.text.as_str()) {
            continue;
        }
        if NO_FUNCTIONS.contains(&token.text.as_str()) {
            skip = closing(statement, index + 1).map_or(index, |end| end + 1);
            continue;
        }
        result.push(&token.text);
    }
    // Without a type it is a constructor, or the use of a macro.
    if result.is_empty() || Some(name) == class.as_deref() {
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
        line: statement[open - 1].line,
        has_body,
        is_pure: tail.ends_with(&["=", "0"]),
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

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
