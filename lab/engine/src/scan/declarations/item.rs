//! What a C or C++ file declares, and the words that it consists of.

use std::collections::{BTreeMap, BTreeSet};

/// What one file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    pub functions: Vec<Function>,
    /// Macros without parameters, and their text.
    pub macros: BTreeMap<String, String>,
    /// Macros with parameters, as the text that follows their name.
    pub macros_of_parts: BTreeMap<String, String>,
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
    /// The structures whose members share one place.
    pub unions: BTreeSet<String>,
    /// Constructors of classes that anyone may call.
    pub constructors: Vec<Function>,
    /// Classes with a constructor that only they themselves may call.
    pub closed: BTreeSet<String>,
    /// The constants of enumerations, by tag or by the name that `typedef` gives.
    pub enums: BTreeMap<String, Vec<String>>,
    /// The parameters of class templates: `int BITS`, `typename T`.
    pub templates: BTreeMap<String, Vec<Parameter>>,
    /// Members of structures that point to functions, by structure.
    pub operations: BTreeMap<String, Vec<Function>>,
    /// Arrays of bytes that other files can write and whose names speak of a key.
    pub keys: Vec<Parameter>,
    /// Objects that other files can use, such as `extern const struct cipher aes;`.
    pub objects: Vec<Parameter>,
    /// Variables that other files can write: arrays, and numbers with the sizes of AES.
    pub globals: Vec<Parameter>,
    /// Members of classes that only their methods can use.
    pub private_members: BTreeMap<String, BTreeSet<String>>,
    /// Arrays that other files can write.
    pub arrays: Vec<Parameter>,
}

/// A function or method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub class: Option<String>,
    /// The type of what it gives, as written.
    pub result: String,
    pub parameters: Vec<Parameter>,
    /// How many of the last parameters have a default, so that a caller may leave them out.
    pub defaults: usize,
    pub line: usize,
    /// Defined here, not only declared.
    pub has_body: bool,
    /// Its body allocates memory.
    pub allocates: bool,
    /// Cannot be called from another file: static, or not public.
    pub hidden: bool,
    /// `= 0`: its class cannot be used itself.
    pub is_pure: bool,
    pub is_static: bool,
    /// The namespace with its outer ones, such as `crypto::aes`; empty outside of any.
    pub namespace: String,
}

impl Function {
    /// Its name, with its class.
    pub fn qualified(&self) -> String {
        match &self.class {
            Some(class) => format!("{class}::{}", self.name),
            None => self.name.clone(),
        }
    }
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
    /// A reference of C++: the caller writes an object of the type.
    pub is_reference: bool,
    /// A pointer to a function or something else that is not understood.
    pub is_odd: bool,
}

impl Parameter {
    /// True if its base type is a byte by name. Names that the library defines are not resolved.
    pub fn is_of_bytes(&self) -> bool {
        const NAMES: [&str; 7] = [
            "uint8_t",
            "byte",
            "unsigned char",
            "char",
            "u8",
            "BYTE",
            "uint8",
        ];
        NAMES.contains(&self.base.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
