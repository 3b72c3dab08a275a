//! Reads what a C or C++ file declares: functions, methods, macros with a value. It reads
//! text, not a build: a library that does not compile yet is what it is for. It understands
//! what headers are written in, passes over what it does not understand, and takes any bytes
//! at all without complaint.

mod item;
mod parameter;
pub mod pasting;
#[cfg(test)]
mod tests;
mod tokens;

use item::{Token, is_name};
use parameter::{parameter, parameters};
use pasting::Macros;
use tokens::tokens;

pub use item::{Declarations, Function, Parameter};

/// Longest statement that is kept: none that declares a function has so many words.
const STATEMENT: usize = 2048;

/// Deepest nesting that is followed.
const DEPTH: usize = 4096;

/// What a brace opened.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    /// `extern "C"`.
    Open,
    Namespace(String),
    Enum {
        name: String,
        /// Its constants are written with its name.
        scoped: bool,
        named_later: bool,
    },
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
    let mut macros = pasting::macros(bytes);
    pasting::keep_pasting(&mut macros);
    read_with(bytes, &macros)
}

/// Reads a file in which `macros`, of any file of the library, make names of parts.
pub fn read_with(bytes: &[u8], macros: &Macros) -> Declarations {
    let text = String::from_utf8_lossy(bytes);
    let mut found = Declarations::default();
    let tokens = tokens(&text, &mut found);
    let tokens = pasting::expanded(tokens, macros, &found.macros);
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
                    _ => opened(&statement, &scopes, &mut found),
                };
                if scopes.len() < DEPTH {
                    scopes.push(scope);
                }
                statement.clear();
                round = 0;
            }
            "}" => {
                let scope = scopes.pop();
                if let Some(Scope::Enum { name, scoped, .. }) = &scope {
                    constants(name, *scoped, &statement, scopes.last(), &mut found);
                }
                unnamed = match scope {
                    Some(Scope::Enum {
                        name,
                        named_later: true,
                        ..
                    }) => Some(name),
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
                        note_alias(alias, &mut found);
                    }
                } else {
                    declaration(&statement, &scopes, &mut found);
                }
                statement.clear();
            }
            ":" if is_access(&statement) => {
                if let Some(Scope::Class { public, .. }) = scopes.last_mut() {
                    *public = statement.first().is_some_and(|word| word.text == "public");
                }
                statement.clear();
            }
            // What stands before is the use of a macro without a semicolon.
            "typedef" if round == 0 => {
                statement.clear();
                statement.push(token);
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

/// Keeps the first meaning of a name, unless that is a macro that the file does not define: the
/// other branch of its `#ifdef` then has the meaning.
fn note_alias(alias: Parameter, found: &mut Declarations) {
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
fn constants(
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
fn declaration(statement: &[Token], scopes: &[Scope], found: &mut Declarations) {
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
fn add(function: Function, found: &mut Declarations) {
    let is_constructor = function.result.is_empty();
    match (&function.class, is_constructor, function.hidden) {
        (Some(class), true, true) => {
            found.closed.insert(class.clone());
        }
        (_, true, _) => found.constructors.push(function),
        _ => found.functions.push(function),
    }
}

/// A member that points to a function: `int (*set_key)(struct ctx *, const uint8_t *key);`.
fn operation(statement: &[Token], scope: Option<&Scope>) -> Option<Function> {
    let Some(Scope::Class { .. }) = scope else {
        return None;
    };
    let open = statement.iter().position(|token| token.text == "(")?;
    let word = |at: usize| statement.get(at).map(|token| token.text.as_str());
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
        line: statement[open].line,
        has_body: false,
        hidden: false,
        is_pure: false,
        is_static: false,
        namespace: String::new(),
    })
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
fn object(statement: &[Token], found: &mut Declarations) {
    let words: Vec<&str> = statement.iter().map(|token| token.text.as_str()).collect();
    let hidden = ["(", "static", "typedef", "using", "return", "PROGMEM"];
    if !words.iter().any(|word| hidden.contains(word)) {
        key_buffer(statement, found);
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
fn opened(statement: &[Token], scopes: &[Scope], found: &mut Declarations) -> Scope {
    let words: Vec<&str> = statement.iter().map(|token| token.text.as_str()).collect();
    let (template, words) = template(&words, statement);
    if let Some(at) = words.iter().position(|word| *word == "namespace") {
        return Scope::Namespace(words[at + 1..].concat());
    }
    if matches!(words, ["extern", language] if language.starts_with('"')) {
        return Scope::Open;
    }
    if words.contains(&"(") {
        if let Some(function) = function(statement, scopes, true) {
            add(function, found);
        }
        return Scope::Closed;
    }
    if words.contains(&"=") {
        let equals = statement.iter().position(|token| token.text == "=");
        object(&statement[..equals.unwrap_or(0)], found);
        return Scope::Closed;
    }
    let named_later = words.first() == Some(&"typedef");
    if let Some(at) = words.iter().position(|word| *word == "enum") {
        let scoped = matches!(words.get(at + 1), Some(&("class" | "struct")));
        let name = words.get(at + 1 + usize::from(scoped));
        return Scope::Enum {
            name: name.map_or(String::new(), |name| (*name).to_owned()),
            scoped,
            named_later,
        };
    }
    let keyword = words
        .iter()
        .position(|word| ["class", "struct", "union"].contains(word));
    let Some(at) = keyword else {
        return Scope::Closed;
    };
    let Some(name) = words.get(at + 1).filter(|word| is_name(word)) else {
        if named_later && at + 1 == words.len() {
            found.members.remove("");
            found.unions.remove("");
            if words[at] == "union" {
                found.unions.insert(String::new());
            }
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
    if let Some(template) = template {
        found.templates.insert((*name).to_owned(), template);
    }
    if words[at] == "union" {
        found.unions.insert((*name).to_owned());
        return Scope::Class {
            name: (*name).to_owned(),
            public: true,
            named_later,
        };
    }
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

/// The parameters of `template <...>` before a class, and the words after it.
fn template<'w>(
    words: &'w [&'w str],
    statement: &[Token],
) -> (Option<Vec<Parameter>>, &'w [&'w str]) {
    if words.first() != Some(&"template") || words.get(1) != Some(&"<") {
        return (None, words);
    }
    let Some(end) = words.iter().position(|word| *word == ">") else {
        return (None, words);
    };
    let parts = statement[2..end].split(|token| token.text == ",");
    (
        Some(parts.filter_map(parameter).collect()),
        &words[end + 1..],
    )
}

/// The function that a statement declares, if it declares one; a constructor has no result.
fn function(statement: &[Token], scopes: &[Scope], has_body: bool) -> Option<Function> {
    let scope = scopes.last();
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
    if first.checked_sub(1).and_then(word) == Some("~") {
        return None; // a destructor
    }
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
        line: statement[open - 1].line,
        has_body,
        is_pure: tail.ends_with(&["=", "0"]),
        is_static,
        namespace: namespace(scopes),
    })
}

/// The namespace that the scopes make.
fn namespace(scopes: &[Scope]) -> String {
    let names: Vec<&str> = scopes
        .iter()
        .filter_map(|scope| match scope {
            Scope::Namespace(name) if !name.is_empty() => Some(name.as_str()),
            _ => None,
        })
        .collect();
    names.join("::")
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
