//! The words of a C or C++ file, and its directives.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::item::{Declarations, Token, is_name};

/// The words of a file, comments and directives left out; macros and includes are noted.
pub(super) fn tokens(text: &str, found: &mut Declarations) -> Vec<Token> {
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

/// Notes what `#define` says. `taken`: its branch is the one that is compiled.
fn define(value: &str, taken: bool, found: &mut Declarations, weak: &mut BTreeSet<String>) {
    let is_part = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = value.chars().take_while(is_part).collect();
    if name.is_empty() {
        return;
    }
    let after = &value[name.len()..];
    if after.starts_with('(') {
        found.macros_of_parts.insert(name, after.to_owned());
        return;
    }
    let text = after.trim().to_owned();
    if taken && (weak.remove(&name) || !found.macros.contains_key(&name)) {
        found.macros.insert(name, text);
    } else if let Entry::Vacant(free) = found.macros.entry(name) {
        weak.insert(free.key().clone());
        free.insert(text);
    }
}

/// Whether the condition of `#if`, `#ifdef` or `#ifndef` holds.
fn is_true(word: &str, value: &str, found: &Declarations, weak: &BTreeSet<String>) -> bool {
    let known = found.macros.contains_key(value) && !weak.contains(value);
    match word {
        "ifdef" => known,
        "ifndef" => !known,
        _ => holds(value, &found.macros),
    }
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
                let truth = is_true(&word, value, found, &branches.weak);
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
        "define" => define(value, taken, found, &mut branches.weak),
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
