//! What a brace opens.

use super::function::function;
use super::item::{Declarations, Parameter, Token, is_name};
use super::parameter::parameter;
use super::scope::Scope;
use super::statement::{add, object};

pub(super) fn is_access(statement: &[Token]) -> bool {
    matches!(statement, [word] if ["public", "private", "protected"].contains(&word.text.as_str()))
}

/// What the brace after a statement opens. A function that begins there is added.
pub(super) fn opened(statement: &[Token], scopes: &[Scope], found: &mut Declarations) -> Scope {
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
    enumeration(words)
        .or_else(|| class(words, template, found))
        .unwrap_or(Scope::Closed)
}

fn is_typedef(words: &[&str]) -> bool {
    words.first() == Some(&"typedef")
}

fn enumeration(words: &[&str]) -> Option<Scope> {
    let at = words.iter().position(|word| *word == "enum")?;
    let scoped = matches!(words.get(at + 1), Some(&("class" | "struct")));
    let name = words.get(at + 1 + usize::from(scoped));
    Some(Scope::Enum {
        name: name.map_or(String::new(), |name| (*name).to_owned()),
        scoped,
        named_later: is_typedef(words),
    })
}

/// A class, structure or union. Notes it, with the classes on which it is based.
fn class(
    words: &[&str],
    template: Option<Vec<Parameter>>,
    found: &mut Declarations,
) -> Option<Scope> {
    let at = words
        .iter()
        .position(|word| ["class", "struct", "union"].contains(word))?;
    let keyword = words[at];
    let scope = |name: &str| Scope::Class {
        name: name.to_owned(),
        public: keyword != "class",
        named_later: is_typedef(words),
    };
    let Some(name) = words.get(at + 1).filter(|word| is_name(word)) else {
        if !is_typedef(words) || at + 1 != words.len() {
            return None;
        }
        found.members.remove("");
        found.unions.remove("");
        if keyword == "union" {
            found.unions.insert(String::new());
        }
        return Some(Scope::Class {
            name: String::new(),
            public: true,
            named_later: true,
        });
    };
    if let Some(template) = template {
        found.templates.insert((*name).to_owned(), template);
    }
    if keyword == "union" {
        found.unions.insert((*name).to_owned());
        return Some(scope(name));
    }
    let access = ["public", "private", "protected", "virtual"];
    let bases = words.iter().skip_while(|word| **word != ":").skip(1);
    let bases = bases.filter(|word| is_name(word) && !access.contains(word));
    let bases = bases.map(|word| (*word).to_owned()).collect();
    found.classes.insert((*name).to_owned(), bases);
    Some(scope(name))
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
