//! The parameters of a function, and members of structures.

use super::item::{Parameter, Token, is_name};

pub(super) fn parameters(tokens: &[Token]) -> Vec<Parameter> {
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

/// How many parameters have a default: only the last ones can.
pub(super) fn defaults(tokens: &[Token]) -> usize {
    tokens.iter().filter(|token| token.text == "=").count()
}

pub(super) fn parameter(tokens: &[Token]) -> Option<Parameter> {
    let mut words: Vec<&str> = Vec::new();
    let (mut pointers, mut is_const, mut is_odd) = (0, false, false);
    let mut references = 0;
    let mut array = None;
    let mut inside: Option<Vec<&str>> = None;
    let named = reference_in_brackets(tokens);
    for token in named.as_deref().unwrap_or(tokens) {
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
            "&" => references += 1,
            "(" | ")" | "..." | "<" | ">" => is_odd = true,
            _ => words.push(text),
        }
    }
    let name = match words.as_slice() {
        [] => return (is_odd || references > 0).then(|| odd("")),
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
        is_reference: references == 1,
        is_odd: is_odd || references > 1,
    })
}

/// The tokens of `uint8_t (&key)[16]` without the round brackets.
fn reference_in_brackets(tokens: &[Token]) -> Option<Vec<Token>> {
    let is = |token: &Token, text: &str| token.text == text;
    let at = tokens.windows(4).position(|four| {
        is(&four[0], "(") && is(&four[1], "&") && is_name(&four[2].text) && is(&four[3], ")")
    })?;
    let kept = tokens.iter().enumerate();
    let kept = kept.filter(|(index, _)| *index != at && *index != at + 3);
    Some(kept.map(|(_, token)| token.clone()).collect())
}

fn odd(name: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        base: String::new(),
        is_const: false,
        pointers: 0,
        array: None,
        is_reference: false,
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
