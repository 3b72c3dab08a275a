//! Reads what a C or C++ file declares: functions, methods, macros with a value. It reads
//! text, not a build: a library that does not compile yet is what it is for. It understands
//! what headers are written in, passes over what it does not understand, and takes any bytes
//! at all without complaint.
//!
//! | module | contents |
//! |---|---|
//! | [`tokens`] | words of a text, without comments and preprocessor lines |
//! | [`pasting`] | macros that make names of parts |
//! | [`scope`] | a pair of braces |
//! | [`opened`] | what a brace opens |
//! | [`function`] | functions, methods and pointers to functions |
//! | [`statement`] | every other statement |
//! | [`parameter`] | a type with a name |
//! | [`item`] | what is found |

mod function;
mod item;
mod opened;
mod parameter;
pub mod pasting;
mod scope;
mod statement;
#[cfg(test)]
mod tests;
mod tokens;

use std::ops::Range;

use item::Token;
use opened::{is_access, opened};
use pasting::Macros;
use scope::Scope;
use statement::{constants, declaration, name_structure, note_alias, typedef};
use tokens::tokens;

pub use item::{Declarations, Function, Parameter};

/// Longest statement that is kept: none that declares a function has so many words.
const STATEMENT: usize = 2048;

/// Deepest nesting that is followed.
const DEPTH: usize = 4096;

/// Reads a file. Bytes that are not UTF-8 are as good as spaces.
pub fn read(bytes: &[u8]) -> Declarations {
    let mut macros = pasting::macros(bytes);
    pasting::keep_pasting(&mut macros);
    read_with(bytes, &macros)
}

/// Reads a file in which `macros`, of any file of the library, make names of parts.
pub fn read_with(bytes: &[u8], macros: &Macros) -> Declarations {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::default();
    let tokens = tokens(&text, &mut reader.found);
    let tokens = pasting::expanded(tokens, macros, &reader.found.macros);
    for token in tokens {
        reader.take(token);
    }
    reader.found
}

/// The place in a file, and what was found up to it.
#[derive(Default)]
struct Reader {
    found: Declarations,
    scopes: Vec<Scope>,
    /// The number of scopes at each `#if` that is open.
    branches: Vec<usize>,
    statement: Vec<Token>,
    /// The functions whose body is open: one, and one more for each parameter that has a default.
    bodies: Range<usize>,
    /// Round brackets that are open.
    round: usize,
    /// The structure that a typedef is about to name.
    unnamed: Option<String>,
}

impl Reader {
    fn take(&mut self, token: Token) {
        let is_skipped = self.scopes.last() == Some(&Scope::Closed);
        match token.text.as_str() {
            // Of the branches of #if, each begins where the first did.
            "#if" => self.branches.push(self.scopes.len()),
            "#else" => {
                if let Some(&depth) = self.branches.last() {
                    self.scopes.truncate(depth);
                }
            }
            "#endif" => {
                self.branches.pop();
            }
            "{" if self.round == 0 || is_skipped => self.open(),
            "}" => self.close(),
            "malloc" | "calloc" | "new" if is_skipped => {
                for function in &mut self.found.functions[self.bodies.clone()] {
                    function.allocates = true;
                }
            }
            _ if is_skipped => {}
            ";" if self.round == 0 => self.end_statement(),
            ":" if is_access(&self.statement) => {
                if let Some(Scope::Class { public, .. }) = self.scopes.last_mut() {
                    let first = self.statement.first();
                    *public = first.is_some_and(|word| word.text == "public");
                }
                self.statement.clear();
            }
            // What stands before is the use of a macro without a semicolon.
            "typedef" if self.round == 0 => {
                self.statement.clear();
                self.statement.push(token);
            }
            _ => self.push(token),
        }
    }

    /// An opening brace.
    fn open(&mut self) {
        let scope = match self.scopes.last() {
            Some(Scope::Closed) => Scope::Closed,
            _ => {
                let known = self.found.functions.len();
                let scope = opened(&self.statement, &self.scopes, &mut self.found);
                self.bodies = known..self.found.functions.len();
                scope
            }
        };
        if self.scopes.len() < DEPTH {
            self.scopes.push(scope);
        }
        self.statement.clear();
        self.round = 0;
    }

    /// A closing brace.
    fn close(&mut self) {
        let scope = self.scopes.pop();
        if let Some(Scope::Enum { name, scoped, .. }) = &scope {
            let outer = self.scopes.last();
            constants(name, *scoped, &self.statement, outer, &mut self.found);
        }
        self.unnamed = match scope {
            Some(
                Scope::Enum {
                    name,
                    named_later: true,
                    ..
                }
                | Scope::Class {
                    name,
                    named_later: true,
                    ..
                },
            ) => Some(name),
            _ => None,
        };
        self.statement.clear();
        self.round = 0;
    }

    /// A semicolon.
    fn end_statement(&mut self) {
        let first = self.statement.first();
        if let Some(tag) = self.unnamed.take() {
            name_structure(&tag, &self.statement, &mut self.found);
        } else if first.is_some_and(|word| word.text == "typedef") {
            for alias in typedef(&self.statement) {
                note_alias(alias, &mut self.found);
            }
        } else {
            declaration(&self.statement, &self.scopes, &mut self.found);
        }
        self.statement.clear();
    }

    /// A word of a statement.
    fn push(&mut self, token: Token) {
        match token.text.as_str() {
            "(" => self.round += 1,
            ")" => self.round = self.round.saturating_sub(1),
            _ => {}
        }
        self.statement.push(token);
        if self.statement.len() > STATEMENT {
            self.statement.clear();
            self.round = 0;
        }
    }
}
