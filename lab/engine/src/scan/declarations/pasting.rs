//! Names that macros make: `prefix##_init`, as in `DECLARE_HASH(sha256)`, or the function that a
//! parameter names. Only macros that paste or declare are expanded; all others stand for expressions
//! or attributes, which declare nothing.

use std::collections::BTreeMap;

use super::item::{Declarations, Token, is_name};
use super::tokens::tokens;

/// Deepest macro in a macro that is expanded.
const DEPTH: usize = 8;

/// Most words of one expansion. A longer one is a table or the rounds of a cipher.
const LONGEST: usize = 4096;

/// Most words that the expansions of one file have together.
const MOST: usize = 1 << 16;

/// A macro with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    parameters: Vec<String>,
    body: Vec<Token>,
}

/// Macros with parameters, by name.
pub type Macros = BTreeMap<String, Macro>;

/// The macro of `#define NAME(...)`, from the text that follows the name.
fn with_parameters(after: &str) -> Option<Macro> {
    let (inside, body) = after.strip_prefix('(')?.split_once(')')?;
    let body = body.replace("\\\r\n", " ").replace("\\\n", " ");
    Some(Macro {
        parameters: inside.split(',').map(|name| name.trim().into()).collect(),
        body: tokens(body.trim(), &mut Declarations::default()),
    })
}

/// The macros with parameters that a file defines.
pub fn macros(bytes: &[u8]) -> Macros {
    let mut found = Declarations::default();
    tokens(&String::from_utf8_lossy(bytes), &mut found);
    let all = found.macros_of_parts.into_iter();
    all.filter_map(|(name, text)| Some((name, with_parameters(&text)?)))
        .collect()
}

/// True if a macro declares the function that a parameter names: `void name(int number);`.
fn declares(one: &Macro) -> bool {
    const STATEMENTS: [&str; 5] = ["return", "do", "if", "for", "while"];
    let is_parameter = |word: &Token| one.parameters.contains(&word.text);
    let is_type = |word: &Token| {
        is_name(&word.text) && !is_parameter(word) && !STATEMENTS.contains(&word.text.as_str())
    };
    let ends = one.body.last().is_some_and(|word| word.text == ";");
    let names = |part: &[Token]| {
        let follows_type = is_type(&part[0]) || part[0].text == "*";
        follows_type && is_parameter(&part[1]) && part[2].text == "("
    };
    ends && one.body.first().is_some_and(is_type) && one.body.windows(3).any(names)
}

/// Leaves those that paste or declare, and those that name one that does.
pub fn keep_pasting(macros: &mut Macros) {
    let pastes = |one: &Macro| one.body.windows(2).any(is_paste);
    let mut kept: Macros = BTreeMap::new();
    loop {
        let names_kept = |one: &Macro| one.body.iter().any(|word| kept.contains_key(&word.text));
        let more: Vec<String> = macros
            .iter()
            .filter(|(name, one)| {
                !kept.contains_key(*name) && (pastes(one) || declares(one) || names_kept(one))
            })
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            break;
        }
        kept.extend(more.iter().filter_map(|name| macros.remove_entry(name)));
    }
    *macros = kept;
}

fn is_paste(pair: &[Token]) -> bool {
    pair.iter().all(|word| word.text == "#")
}

/// The words of a file, with the uses of `macros` expanded.
pub(super) fn expanded(
    words: Vec<Token>,
    macros: &Macros,
    values: &BTreeMap<String, String>,
) -> Vec<Token> {
    if !words.iter().any(|word| macros.contains_key(&word.text)) {
        return words;
    }
    let mut expansion = Expansion {
        macros,
        values,
        left: MOST,
    };
    expansion.go(&words, 0)
}

struct Expansion<'m> {
    macros: &'m Macros,
    /// Macros without parameters.
    values: &'m BTreeMap<String, String>,
    left: usize,
}

impl Expansion<'_> {
    fn go(&mut self, words: &[Token], depth: usize) -> Vec<Token> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let call = self.macros.get(&word.text).filter(|_| depth < DEPTH);
            let arguments = call.and_then(|_| arguments(&words[at + 1..]));
            if let (Some(call), Some((arguments, length))) = (call, arguments)
                && arguments.len() == call.parameters.len()
            {
                let text = self.body(call, &arguments, word.line);
                if text.len() <= LONGEST.min(self.left) {
                    self.left -= text.len();
                    out.extend(self.go(&text, depth + 1));
                    at += 1 + length;
                    continue;
                }
            }
            out.push(word.clone());
            at += 1;
        }
        out
    }

    /// The body of a macro with its arguments, and the parts of names joined.
    fn body(&self, call: &Macro, arguments: &[&[Token]], line: usize) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        let mut joins = false;
        let mut at = 0;
        while let Some(word) = call.body.get(at) {
            if call.body.get(at..at + 2).is_some_and(is_paste) {
                joins = true;
                at += 2;
                continue;
            }
            let before_paste = call.body.get(at + 1..at + 3).is_some_and(is_paste);
            let parameter = call.parameters.iter().position(|name| *name == word.text);
            let alone = !joins && !before_paste;
            let mut texts: Vec<String> = match parameter {
                Some(place) => self.argument(arguments[place], alone),
                None => vec![word.text.clone()],
            };
            if let Some(last) = out.last_mut().filter(|_| joins && !texts.is_empty()) {
                last.text.push_str(&texts.remove(0));
            }
            joins = false;
            out.extend(texts.into_iter().map(|text| Token { text, line }));
            at += 1;
        }
        out
    }

    /// The words of an argument. The preprocessor replaces a macro in it only if it is not joined
    /// to something [C11, 6.10.3.1].
    fn argument(&self, words: &[Token], alone: bool) -> Vec<String> {
        let value = |word: &Token| {
            let value = self.values.get(&word.text)?;
            (alone && is_name(value) && value.chars().all(|c| c.is_alphanumeric() || c == '_'))
                .then(|| value.clone())
        };
        let all = words.iter();
        all.map(|word| value(word).unwrap_or_else(|| word.text.clone()))
            .collect()
    }
}

/// The arguments in the brackets with which `words` begin, and the number of words up to the
/// closing one.
fn arguments(words: &[Token]) -> Option<(Vec<&[Token]>, usize)> {
    if words.first()?.text != "(" {
        return None;
    }
    let (mut found, mut from, mut depth) = (Vec::new(), 1, 0usize);
    for (at, word) in words.iter().enumerate().take(LONGEST) {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" if depth == 1 => {
                found.push(&words[from..at]);
                return Some((found, at + 1));
            }
            ")" => depth -= 1,
            "," if depth == 1 => {
                found.push(&words[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::scan::declarations::read;

    fn names(text: &str) -> Vec<String> {
        let functions = read(text.as_bytes()).functions.into_iter();
        functions.map(|function| function.name).collect()
    }

    #[test]
    fn a_macro_makes_names_of_its_arguments() {
        let declares =
            "#define D(p, r) void p##_set(const r *key); \\\n void p##_end(void);\nD(aes, int)";
        assert_eq!(names(declares), ["aes_set", "aes_end"]);
        let indirect =
            "#define J(a, b) a ## b\n#define N(b) J(W, b)\n#define W aes\nvoid N(_set)(int);";
        assert_eq!(names(indirect), ["W_set"], "W stands beside ## at once");
        let twice = "#define J(a, b) a##b\n#define K(a, b) J(a, b)\n#define N(b) K(W, b)\n#define W aes\nvoid N(_set)(int);";
        assert_eq!(names(twice), ["aes_set"]);
    }

    #[test]
    fn a_macro_declares_the_function_that_an_argument_names() {
        let declares =
            "#define CALL\n#define D(f) \\\n void CALL f(int *iv);\nD (aes_encode)\nD (aes_decode)";
        assert_eq!(names(declares), ["aes_encode", "aes_decode"]);
        let step =
            "#define S(f, a, b) a += f(b); b ^= a;\n#define R(f) return f(1);\nS(g, x, y) R(h)";
        assert!(names(step).is_empty());
    }

    #[test]
    fn a_macro_that_names_itself_ends() {
        assert!(names("#define A(x) A(x##x) A(x)\nA(b)").is_empty());
    }
}
