//! The shapes of parameters, with the library's own names of types resolved.

use std::collections::BTreeSet;

use crate::scan::Scanned;
use crate::scan::declarations::Parameter;

/// The shape of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A pointer to bytes; the number of bytes if the declaration has one.
    Bytes {
        size: Option<u32>,
    },
    /// A pointer to words of more than 8 bits.
    Words,
    /// A pointer to a number that the function sets, such as a length.
    NumberOut,
    /// A pointer to a structure, or the structure itself.
    Structure {
        by_value: bool,
    },
    /// A pointer to a pointer to a structure, which the function makes.
    StructureOut,
    /// `void *`: bytes or a structure.
    Untyped,
    Number,
    /// A constant of an enumeration: of key sizes, of directions, of modes, or of something else.
    Choice {
        sizes: bool,
        directions: bool,
        modes: bool,
    },
    /// Anything else, such as a pointer to a function.
    Odd,
}

/// Most steps from a name of a type to its meaning.
const STEPS: usize = 16;

const BYTES: [&str; 8] = [
    "uint8_t",
    "int8_t",
    "char",
    "byte",
    "boolean",
    "bool",
    "uint_fast8_t",
    "uint_least8_t",
];
const NUMBERS: [&str; 26] = [
    "short",
    "int",
    "long",
    "unsigned",
    "signed",
    "size_t",
    "ssize_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "word",
    "ptrdiff_t",
    "uintptr_t",
    "uint_fast16_t",
    "uint_fast32_t",
    "uint_fast64_t",
    "uint_least16_t",
    "uint_least32_t",
    "uint_least64_t",
    "_Bool",
    "enum",
    "unsigned long",
    "unsigned int",
];

/// The meaning of a base type: the base after all names are resolved, and the pointers that the
/// names add.
fn resolve(scanned: &Scanned, base: &str) -> (String, usize, Option<String>) {
    let mut base = base.trim().trim_start_matches("std::").to_owned();
    let (mut pointers, mut array) = (0, None);
    // The language's own names mean the same everywhere, whatever a library defines for a compiler
    // that lacks them.
    let of_language =
        |base: &str| base.ends_with("_t") && (BYTES.contains(&base) || NUMBERS.contains(&base));
    for _ in 0..STEPS {
        if of_language(&base) {
            break;
        }
        if let Some(alias) = scanned.typedefs.get(&base) {
            pointers += alias.pointers;
            array = array.or_else(|| alias.array.clone());
            if alias.base.is_empty() || alias.base == base {
                break;
            }
            base.clone_from(&alias.base);
        } else if let Some(text) = scanned.macros.get(&base)
            && text.chars().next().is_some_and(char::is_alphabetic)
            && *text != base
        {
            base.clone_from(text);
        } else {
            break;
        }
    }
    (base, pointers, array)
}

/// The structure behind a name of a type, without `struct`; the name itself if it has no other.
pub fn resolved_tag(scanned: &Scanned, name: &str) -> String {
    let (base, ..) = resolve(scanned, name);
    match base.trim_start_matches("struct ").trim() {
        "" => name.to_owned(),
        tag => tag.to_owned(),
    }
}

fn is_of(base: &str, words: &[&str]) -> bool {
    words.contains(&base)
}

/// True if the base is a type of one byte.
fn is_byte(base: &str) -> bool {
    let words: BTreeSet<&str> = base.split_whitespace().collect();
    is_of(base, &BYTES)
        || (words.contains("char") && !words.contains("struct"))
        || [
            "u8", "uint8", "BYTE", "UCHAR", "uchar", "u_int8_t", "Byte", "UINT8",
        ]
        .contains(&base)
}

fn is_number(base: &str) -> bool {
    let mut words = base.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| is_of(word, &NUMBERS)) || base.starts_with("enum ")
}

/// The shape of a parameter of a function of the library.
pub fn shape(scanned: &Scanned, parameter: &Parameter) -> Shape {
    if parameter.is_odd || parameter.base.is_empty() {
        return Shape::Odd;
    }
    let (base, more, alias_array) = resolve(scanned, &parameter.base);
    let array = parameter.array.as_ref().or(alias_array.as_ref());
    // A reference to an array is passed as the array, any other as a pointer to its object.
    let referred = usize::from(parameter.is_reference && array.is_none());
    let pointers = parameter.pointers + more + referred;
    if base == "void" {
        return if pointers == 1 {
            Shape::Untyped
        } else {
            Shape::Odd
        };
    }
    if is_byte(&base) {
        return match pointers {
            0 => Shape::Number,
            1 => Shape::Bytes {
                size: array.and_then(|text| product(scanned, text)),
            },
            // A matrix of bytes, such as a state of 4 x 4.
            2 if array.is_some() => Shape::Bytes { size: None },
            _ => Shape::Odd,
        };
    }
    let tag = base.trim_start_matches("enum ").trim();
    if let (0, Some(constants)) = (pointers, constants(scanned, &parameter.base, tag)) {
        let any = |parts: &[&str]| {
            let says = |name: &String| parts.iter().any(|part| name.to_lowercase().contains(part));
            constants.iter().any(says)
        };
        return Shape::Choice {
            sizes: any(&["128", "192", "256"]) || any(&["16"]) && any(&["24"]) && any(&["32"]),
            directions: any(&["enc"]) && any(&["dec"]),
            modes: any(&["cbc"]),
        };
    }
    if is_number(&base) {
        let wide = base.contains("64") || base.contains("32") || base.contains("16");
        return match pointers {
            0 => Shape::Number,
            1 if speaks_of_length(&parameter.name) => Shape::NumberOut,
            1 if speaks_of_place(&parameter.name) && !parameter.is_const => Shape::NumberOut,
            1 if array.is_some() || wide || base.contains("long") || base.contains("int") => {
                Shape::Words
            }
            2 if array.is_some() => Shape::Words,
            _ => Shape::Odd,
        };
    }
    match pointers {
        0 | 1 if is_block(scanned, &parameter.base, &base) => Shape::Bytes { size: None },
        0 => Shape::Structure { by_value: true },
        1 => Shape::Structure { by_value: false },
        2 if !parameter.is_const && array.is_none() => Shape::StructureOut,
        _ => Shape::Odd,
    }
}

/// True for the name of a class of texts, as `String` of Arduino or that of C++.
pub fn is_text(name: &str) -> bool {
    let plain = name.replace([' ', '&'], "");
    let last = plain.rsplit(':').next().unwrap_or_default();
    ["String", "string", "string_view", "__FlashStringHelper"].contains(&last)
}

/// The type of a parameter's values as the glue writes it: names of the library that stand for
/// numbers are resolved, because no header may have them.
pub fn written(scanned: &Scanned, parameter: &Parameter) -> String {
    let (base, pointers, array) = resolve(scanned, &parameter.base);
    let plain = pointers == 0 && array.is_none() && (is_byte(&base) || is_number(&base));
    let of_language = !["u8", "uint8", "BYTE", "UCHAR", "uchar", "Byte", "UINT8"].contains(&&*base);
    if plain && of_language {
        base
    } else {
        parameter.base.clone()
    }
}

/// True if a structure has one array of bytes and nothing else, such as a block, or is a union of
/// such an array with arrays of words.
fn is_block(scanned: &Scanned, name: &str, base: &str) -> bool {
    let members = scanned.members.get(name).or_else(|| {
        let tag = base.trim_start_matches("struct ").trim();
        scanned.members.get(tag)
    });
    let tag = base.trim_start_matches("union ").trim();
    let is_union = scanned.unions.contains(name) || scanned.unions.contains(tag);
    let members = members.or_else(|| scanned.members.get(tag));
    let members = members.map_or(&[][..], Vec::as_slice);
    let lower = name.to_lowercase();
    let is_digest = ["hash", "digest", "tag"]
        .iter()
        .any(|word| lower.contains(word));
    let has_bytes = |member: &Parameter| {
        let (of, pointers, array) = resolve(scanned, &member.base);
        let size = member.array.as_ref().or(array.as_ref());
        let bytes = size.and_then(|text| product(scanned, text));
        let fits = match bytes {
            Some(16) => true,
            // A structure around a digest; the state of a hash may have as many bytes.
            Some(20..=64) => is_digest,
            _ => false,
        };
        is_byte(&of) && member.pointers + pointers == 1 && fits
    };
    // The members of a union are the same bytes, as words of several sizes.
    let is_plain = |member: &Parameter| {
        let (of, pointers, _) = resolve(scanned, &member.base);
        (is_byte(&of) || is_number(&of)) && member.pointers + pointers == 1
    };
    match members {
        [only] => has_bytes(only),
        several => is_union && several.iter().any(has_bytes) && several.iter().all(is_plain),
    }
}

/// The constants of an enumeration, by a name of it.
pub fn constants<'s>(scanned: &'s Scanned, name: &str, tag: &str) -> Option<&'s Vec<String>> {
    let bare = |name: &str| {
        name.rsplit("::")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let named = scanned.enums.get(&bare(name.trim_start_matches("enum ")));
    named.or_else(|| scanned.enums.get(&bare(tag)))
}

/// True if a name speaks of the place in a key stream.
pub fn speaks_of_place(name: &str) -> bool {
    let name = name.to_lowercase();
    ["off", "num", "pos"].iter().any(|word| name.contains(word))
}

fn speaks_of_length(name: &str) -> bool {
    let name = name.to_lowercase();
    ["len", "size", "count", "written"]
        .iter()
        .any(|word| name.contains(word))
}

/// The value of `16`, `AES_BLOCK` or `4 * Nb`; `None` if it is not a product of known numbers.
pub fn product(scanned: &Scanned, text: &str) -> Option<u32> {
    product_of(scanned, text, STEPS)
}

fn product_of(scanned: &Scanned, text: &str, steps: usize) -> Option<u32> {
    let text: String = text.chars().filter(|c| !"() ".contains(*c)).collect();
    text.split('*').try_fold(1u32, |product, factor| {
        let sum = factor.split('+').try_fold(0u32, |sum, part| {
            let (whole, divisor) = part.split_once('/').unwrap_or((part, "1"));
            let number = |text: &str| {
                let inner =
                    || product_of(scanned, scanned.macros.get(text)?, steps.checked_sub(1)?);
                scanned.number(text).or_else(inner)
            };
            let value = number(whole)? / number(divisor)?.max(1);
            sum.checked_add(value)
        })?;
        product.checked_mul(sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::declarations::read;

    fn shapes(text: &str) -> Vec<Shape> {
        let found = read(text.as_bytes());
        let scanned = Scanned {
            typedefs: found.typedefs,
            members: found.members,
            unions: found.unions,
            macros: found.macros,
            ..Scanned::default()
        };
        let function = found.functions.last().expect("a function");
        function
            .parameters
            .iter()
            .map(|p| shape(&scanned, p))
            .collect()
    }

    #[test]
    fn names_of_types_are_resolved() {
        let text = "
            #define BLOCK 16
            #define u8 unsigned char
            typedef unsigned long un32;
            typedef struct { u8 b[16]; } block_t;
            typedef struct { un32 rk[44]; int rounds; } ctx_t;
            void f(u8 out[BLOCK], un32 *w, block_t *b, ctx_t *c, un32 n, size_t *outlen, void *p, int (*g)(int));
        ";
        assert_eq!(
            shapes(text),
            [
                Shape::Bytes { size: Some(16) },
                Shape::Words,
                Shape::Bytes { size: None },
                Shape::Structure { by_value: false },
                Shape::Number,
                Shape::NumberOut,
                Shape::Untyped,
                Shape::Odd,
            ]
        );
    }

    #[test]
    fn a_union_of_bytes_and_words_is_a_block() {
        let union =
            "typedef union { uint64_t q[2]; uint8_t b[16]; } block128; void f(block128 *b);";
        assert_eq!(shapes(union), [Shape::Bytes { size: None }]);
        let named = "union block { uint32_t d[4]; uint8_t b[16]; }; typedef union block aes_block; void f(aes_block *b);";
        assert_eq!(shapes(named), [Shape::Bytes { size: None }]);
        let structure = "typedef struct { uint64_t q[2]; uint8_t b[16]; } state; void f(state *b);";
        assert_eq!(shapes(structure), [Shape::Structure { by_value: false }]);
        let of_another_compiler = ["typedef unsigned __int64 uint64_t;", union].concat();
        assert_eq!(shapes(&of_another_compiler), [Shape::Bytes { size: None }]);
        let context = "typedef union { struct key k; uint8_t b[16]; } key; void f(key *b);";
        assert_eq!(shapes(context), [Shape::Structure { by_value: false }]);
    }

    #[test]
    fn sizes_are_products() {
        let scanned = Scanned {
            macros: [("Nb".to_owned(), "4".to_owned())].into(),
            ..Scanned::default()
        };
        assert_eq!(product(&scanned, "4 * Nb"), Some(16));
        assert_eq!(product(&scanned, "(128/8)"), Some(16));
        assert_eq!(product(&scanned, "sizeof x"), None);
    }
}
