//! Reads what a C or C++ file declares: functions, methods, macros with a value. It reads
//! text, not a build: a library that does not compile yet is what it is for. It understands
//! what headers are written in, passes over what it does not understand, and takes any bytes
//! at all without complaint.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

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

fn parameters(tokens: &[Token]) -> Vec<Parameter> {
    let mut depth = 0usize;
    let parts = tokens.split(|token| {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.text == ","
    });
    let parts: Vec<Parameter> = parts.filter_map(parameter).collect();
    match parts.as_slice() {
        [only] if only.base == "void" && only.pointers == 0 => Vec::new(),
        _ => parts,
    }
}

fn parameter(tokens: &[Token]) -> Option<Parameter> {
    let mut words: Vec<&str> = Vec::new();
    let (mut pointers, mut is_const, mut is_odd) = (0, false, false);
    let mut array = None;
    let mut inside: Option<Vec<&str>> = None;
    for token in tokens {
        let text = token.text.as_str();
        if let Some(content) = &mut inside {
            if text == "]" {
                array = Some(content.join(" "));
                pointers += 1;
                inside = None;
            } else {
                content.push(text);
            }
            continue;
        }
        match text {
            "=" => break,
            "(" if is_odd => break, // what a function that is pointed to takes
            "[" => inside = Some(Vec::new()),
            "*" => pointers += 1,
            // A const after the star is of the pointer itself.
            "const" => is_const |= pointers == 0,
            "volatile" | "restrict" | "__restrict" | "__restrict__" | "register" | "static" => {}
            "&" | "(" | ")" | "..." | "<" | ">" => is_odd = true,
            _ => words.push(text),
        }
    }
    let name = match words.as_slice() {
        [] => return is_odd.then(|| odd("")),
        // `unsigned char` alone is a type, `uint8_t out` is not.
        [.., last] if words.len() > 1 && is_name(last) && !is_type_word(last) => {
            let only_tag = words.len() == 2 && ["struct", "union", "enum"].contains(&words[0]);
            if only_tag { None } else { words.pop() }
        }
        _ => None,
    };
    Some(Parameter {
        name: name.unwrap_or_default().to_owned(),
        base: words.join(" "),
        is_const,
        pointers,
        array: array.filter(|text| !text.is_empty()),
        is_odd,
    })
}

fn odd(name: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        base: String::new(),
        is_const: false,
        pointers: 0,
        array: None,
        is_odd: true,
    }
}

fn is_type_word(word: &str) -> bool {
    [
        "unsigned", "signed", "char", "short", "int", "long", "void", "bool", "uint8_t", "size_t",
        "float", "double",
    ]
    .contains(&word)
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The words of a file, comments and directives left out; macros and includes are noted.
fn tokens(text: &str, found: &mut Declarations) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut at_start = true;
    let mut branches = Branches::default();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if character == '\n' {
            line += 1;
            at_start = true;
            rest = &rest[1..];
        } else if character.is_whitespace() {
            rest = &rest[character.len_utf8()..];
        } else if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            line += rest[..end].matches('\n').count();
            rest = &rest[end..];
        } else if character == '#' && at_start {
            let end = directive_end(rest);
            let whole = &rest[..end];
            directive(whole, line, found, &mut tokens, &mut branches);
            line += whole.matches('\n').count();
            rest = &rest[end..];
        } else {
            at_start = false;
            let length = token_length(rest, character);
            let (token, after) = rest.split_at(length);
            if branches.dead == 0 {
                tokens.push(Token {
                    text: token.to_owned(),
                    line,
                });
            }
            line += token.matches('\n').count();
            rest = after;
        }
    }
    tokens
}

/// Where a directive ends: at the line's end, unless a backslash continues it.
fn directive_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(end) = text[from..].find('\n') {
        let end = from + end;
        if !text[..end].trim_end_matches('\r').ends_with('\\') {
            return end;
        }
        from = end + 1;
    }
    text.len()
}

/// Where a text stands among its `#if`s. What any branch declares is read; of macros, those
/// of the branches that a compiler takes without further definitions go before the others.
#[derive(Default)]
struct Branches {
    /// Depth of `#if` inside an `#if 0`, which holds nothing.
    dead: usize,
    /// For each open `#if`: whether this branch is taken, and whether one was.
    open: Vec<(bool, bool)>,
    /// Macros of branches that are not taken.
    weak: BTreeSet<String>,
}

/// The value of the condition of an `#if`, as far as it is made of `defined`, names, numbers,
/// `!`, `==`, `&&` and `||`; anything else is no.
fn holds(condition: &str, macros: &BTreeMap<String, String>) -> bool {
    let text: String = condition
        .chars()
        .filter(|c| !c.is_whitespace() && !"()".contains(*c))
        .collect();
    let value = |name: &str| -> i64 {
        let mut text = name;
        for _ in 0..8 {
            if let Ok(number) = text.parse() {
                return number;
            }
            match macros.get(text) {
                Some(next) => text = next.trim(),
                None => return 0,
            }
        }
        0
    };
    let term = |term: &str| -> bool {
        let bare = term.trim_start_matches('!');
        let turned = (term.len() - bare.len()) % 2 == 1;
        let truth = if let Some(name) = bare.strip_prefix("defined") {
            macros.contains_key(name)
        } else if let Some((a, b)) = bare.split_once("==") {
            value(a) == value(b)
        } else {
            value(bare) != 0
        };
        truth != turned
    };
    text.split("||").any(|any| any.split("&&").all(term))
}

/// Notes the macros of a condition.
fn test(condition: &str, found: &mut Declarations) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = condition
        .split(|c| !is_part(c))
        .filter(|name| is_name(name) && *name != "defined");
    found.tested.extend(names.map(str::to_owned));
}

fn directive(
    whole: &str,
    line: usize,
    found: &mut Declarations,
    tokens: &mut Vec<Token>,
    branches: &mut Branches,
) {
    // A comment is no part of a value.
    let code = whole.split("//").next().unwrap_or_default();
    let code = code.split("/*").next().unwrap_or_default();
    let body = code.trim_start_matches('#').trim_start();
    let word: String = body.chars().take_while(char::is_ascii_alphabetic).collect();
    let value = body[word.len()..].trim();
    let mut mark = |text: &str| {
        tokens.push(Token {
            text: text.to_owned(),
            line,
        });
    };
    let dead = &mut branches.dead;
    let taken = branches.open.iter().all(|(taken, _)| *taken);
    match word.as_str() {
        "if" | "ifdef" | "ifndef" => {
            test(value, found);
            if *dead > 0 || (word == "if" && value == "0") {
                *dead += 1;
            } else {
                mark("#if");
                let known = found.macros.contains_key(value) && !branches.weak.contains(value);
                let truth = match word.as_str() {
                    "ifdef" => known,
                    "ifndef" => !known,
                    _ => holds(value, &found.macros),
                };
                branches.open.push((truth, truth));
            }
        }
        "else" | "elif" if *dead == 1 => {
            *dead = 0;
            mark("#if"); // its #endif closes it
            branches.open.push((true, true));
        }
        "else" | "elif" if *dead == 0 => {
            test(value, found);
            mark("#else");
            if let Some((taken, was)) = branches.open.last_mut() {
                *taken = !*was && (word == "else" || holds(value, &found.macros));
                *was |= *taken;
            }
        }
        "endif" if *dead > 0 => *dead -= 1,
        "endif" => {
            mark("#endif");
            branches.open.pop();
        }
        _ if *dead > 0 => {}
        "define" => {
            let name: String = value
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let after = &value[name.len()..];
            if !name.is_empty() && !after.starts_with('(') {
                let text = after.trim().to_owned();
                if taken && (branches.weak.remove(&name) || !found.macros.contains_key(&name)) {
                    found.macros.insert(name, text);
                } else if let Entry::Vacant(free) = found.macros.entry(name) {
                    branches.weak.insert(free.key().clone());
                    free.insert(text);
                }
            }
        }
        "include" => {
            let name = value.trim_matches(|c| "<>\" \t\r".contains(c));
            if !name.is_empty() {
                found.includes.push(name.to_owned());
            }
        }
        _ => {}
    }
}

/// How many bytes the word at the beginning of a text takes.
fn token_length(text: &str, first: char) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if first.is_ascii_alphanumeric() || first == '_' {
        let number = first.is_ascii_digit();
        let word = |c: char| {
            if number {
                is_word(c)
            } else {
                is_word(c) && c != '.'
            }
        };
        return text.find(|c| !word(c)).unwrap_or(text.len());
    }
    if first == '"' || first == '\'' {
        let mut escaped = false;
        for (at, character) in text.char_indices().skip(1) {
            match character {
                // An apostrophe in prose ends with its line.
                '\n' if !escaped => return at,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if character == first => return at + 1,
                _ => {}
            }
        }
        return text.len();
    }
    for long in ["...", "::"] {
        if text.starts_with(long) {
            return long.len();
        }
    }
    first.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_typedef_names_are_read() {
        let text = "
            typedef unsigned char u8;
            typedef uint32_t un32, other;
            typedef u8 state_t[4][4];
            typedef struct { u8 b[16]; } block_t;
            typedef struct aes_key_st { unsigned int rd_key[60]; int rounds; } AES_KEY, *AES_PTR;
            typedef int (*random_fn)(u8 *, unsigned);
            struct plain { u8 x; };
            void f(block_t *b);
        ";
        let found = read(text.as_bytes());
        assert_eq!(found.typedefs["u8"].base, "unsigned char");
        assert_eq!(found.typedefs["un32"].base, "uint32_t");
        assert_eq!(found.typedefs["state_t"].pointers, 2);
        assert_eq!(found.typedefs["AES_KEY"].base, "aes_key_st");
        assert_eq!(found.typedefs["AES_PTR"].pointers, 1);
        assert_eq!(found.members["block_t"].len(), 1);
        assert_eq!(found.members["block_t"][0].array.as_deref(), Some("16"));
        assert_eq!(found.members["AES_KEY"].len(), 2);
        assert!(!found.typedefs.contains_key("random_fn"));
        assert_eq!(found.functions.len(), 1);
    }

    fn shown(text: &str) -> Vec<String> {
        let found = read(text.as_bytes());
        let shown = found.functions.iter().map(|function| {
            let parameters: Vec<String> = function
                .parameters
                .iter()
                .map(|p| {
                    let array = p
                        .array
                        .as_ref()
                        .map(|a| format!("[{a}]"))
                        .unwrap_or_default();
                    let constant = if p.is_const { "const " } else { "" };
                    format!(
                        "{constant}{} {}{}{array}",
                        p.base,
                        "*".repeat(p.pointers),
                        p.name
                    )
                })
                .collect();
            let class = function
                .class
                .as_ref()
                .map(|c| format!("{c}::"))
                .unwrap_or_default();
            let hidden = if function.hidden { "hidden " } else { "" };
            format!(
                "{hidden}{} {class}{}({})",
                function.result,
                function.name,
                parameters.join(", ")
            )
        });
        shown.collect()
    }

    #[test]
    fn functions_of_c_are_read() {
        let text = "
            #define BLOCK 16 // bytes
            #define MIN(a, b) ((a) < (b) ? (a) : (b))
            #ifdef __cplusplus
            extern \"C\" {
            #endif
            typedef struct { uint8_t rk[176]; } ctx_t;
            /* void not_me(int); */
            void init(ctx_t *ctx, const uint8_t key[BLOCK]);
            static inline int hidden_one(void) { return f(1); }
            extern unsigned char *last(const unsigned char *in, unsigned char out[], size_t n) __attribute__((pure));
            #if 0
            void dead(int a);
            #endif
            int x = 3, table[2] = { 1, 2 };
            void after(struct big *b, uint8_t state[4][4], void (*call)(int));
            #ifdef __cplusplus
            }
            #endif
        ";
        assert_eq!(
            shown(text),
            [
                "void init(ctx_t *ctx, const uint8_t *key[BLOCK])",
                "hidden int hidden_one()",
                "unsigned char * last(const unsigned char *in, unsigned char *out, size_t n)",
                "void after(struct big *b, uint8_t **state[4], void *call)",
            ]
        );
        let found = read(text.as_bytes());
        assert_eq!(found.macros.get("BLOCK").map(String::as_str), Some("16"));
        assert!(!found.macros.contains_key("MIN"));
        assert_eq!(found.functions[0].line, 9);
    }

    #[test]
    fn classes_of_cpp_are_read() {
        let text = "
            #include <Arduino.h>
            namespace crypto {
            class AES128 : public Cipher {
            public:
                AES128();
                virtual ~AES128();
                bool setKey(const uint8_t *key, size_t len = 16);
                void encryptBlock(uint8_t *output, const uint8_t *input) { run(output, input); }
                virtual int size() const = 0;
            private:
                void secret(uint8_t *);
                uint8_t schedule[176];
            };
            }
            void AES128::clear(byte n) { }
        ";
        assert_eq!(
            shown(text),
            [
                "bool AES128::setKey(const uint8_t *key, size_t len)",
                "void AES128::encryptBlock(uint8_t *output, const uint8_t *input)",
                "int AES128::size()",
                "hidden void AES128::secret(uint8_t *)",
                "hidden void AES128::clear(byte n)",
            ]
        );
        let found = read(text.as_bytes());
        assert!(found.functions[2].is_pure);
        assert_eq!(found.classes["AES128"], ["Cipher"]);
        assert_eq!(found.includes, ["Arduino.h"]);
    }

    #[test]
    fn branches_that_open_a_brace_each_do_not_lose_the_rest() {
        let text = "
            #ifdef A
            void f(int a) {
            #else
            void f(long a) {
            #endif
            }
            void g(int b);
        ";
        assert_eq!(
            shown(text).last().map(String::as_str),
            Some("void g(int b)")
        );
    }

    #[test]
    fn of_conditional_macros_the_one_that_a_compiler_takes_counts() {
        let text = "
            #define AES128 1
            //#define AES256 1
            #ifndef CBC
              #define CBC 1
            #endif
            #if defined(AES256) && (AES256 == 1)
                #define KEYLEN 32
            #elif defined(AES192) && (AES192 == 1)
                #define KEYLEN 24
            #else
                #define KEYLEN 16   // Key length
            #endif
            #if !defined(CBC) || KEYLEN == 32
                #define ROUNDS 14
            #endif
            #if defined(AES128) && CBC
            void both(uint8_t *);
            #endif
        ";
        let found = read(text.as_bytes());
        let of = |name: &str| found.macros.get(name).map(String::as_str);
        assert_eq!(of("KEYLEN"), Some("16"));
        assert_eq!(of("CBC"), Some("1"));
        assert_eq!(of("ROUNDS"), Some("14"), "nothing better is known");
        assert_eq!(found.functions.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
            read(&bytes);
        }

        #[test]
        fn any_pieces_of_c_are_read(pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "void", "f", "(", ")", "{", "}", ";", ",", "[", "]", "*", "const", "class", "struct",
                "public", ":", "::", "=", "0", "#if", "#if 0", "#else", "#endif", "\n", "\"", "'", "/*",
                "*/", "//", "\\\n", "extern \"C\"", "#define", "#define X(", "typedef", "\u{e9}",
                "__attribute__", "operator", "namespace", "A", " ", "16",
            ]), 0..120)) {
            read(pieces.concat().as_bytes());
            read(pieces.join(" ").as_bytes());
        }
    }
}
