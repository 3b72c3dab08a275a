//! Functions and tables that speak of an algorithm and that no trial can call. A person must fill
//! them into the glue; that they are not called says nothing about the library.

use super::bound::Bound;
use super::types::{Shape, is_text, shape};
use crate::scan::declarations::{Function, Parameter};
use crate::scan::words::words;
use crate::scan::{Declared, Scanned, speaks};

/// Most that are named.
const MOST: usize = 4;

/// What a person must call, each with the reason.
pub fn uncalled(scanned: &Scanned, bound: &[Bound<'_>]) -> Vec<String> {
    let names: Vec<String> = bound.iter().flat_map(|one| one.recipe.names()).collect();
    let functions = scanned.functions.iter();
    let functions = functions.filter(|declared| declared.in_header || declared.by_inclusion);
    let functions = functions.filter(|declared| !names.contains(&declared.function.name));
    let mut found: Vec<String> = Vec::new();
    for said in functions.filter_map(|declared| of_function(scanned, declared)) {
        if !found.contains(&said) {
            found.push(said);
        }
    }
    let tables = scanned.objects.iter().filter(|(object, file, in_header)| {
        let is_type =
            object.base.starts_with("struct ") || scanned.members.contains_key(&object.base);
        // Methods of an object of that class are bound.
        let mut classes = bound.iter().filter_map(|one| one.recipe.class.as_ref());
        *in_header
            && is_type
            && speaks(&object.name)
            && scanned.headers.contains(file)
            && classes.all(|class| *class != object.base)
    });
    let tables =
        tables.filter(|(object, ..)| names.iter().all(|name| !name.starts_with(&object.name)));
    found.extend(tables.map(|(object, file, _)| {
        format!(
            "`{}` in {} is an object of `{}`: call the functions that take it",
            object.name,
            file.display(),
            object.base
        )
    }));
    found.truncate(MOST);
    found
}

/// What stops the trials from calling a function, if anything does.
fn of_function(scanned: &Scanned, declared: &Declared) -> Option<String> {
    let function = &declared.function;
    let class = function.class.as_deref().unwrap_or_default();
    let file = declared.file.to_string_lossy();
    if ![function.name.as_str(), class, &file]
        .iter()
        .any(|name| speaks(name))
    {
        return None;
    }
    let module = scanned.includes.get(&declared.file);
    let is_module = module.is_some_and(|names| names.iter().any(|name| name == "Python.h"));
    let is_odd = |parameter: &&Parameter| shape(scanned, parameter) == Shape::Odd;
    let odd = function.parameters.iter().find(is_odd);
    let whole = match class {
        "" => function.name.clone(),
        _ => format!("{class}::{}", function.name),
    };
    let place = format!("{file}:{}", function.line);
    match odd {
        _ if is_module && declared.by_inclusion => Some(format!(
            "{file} is a module of Python: its functions need what Python gives them"
        )),
        Some(odd) if !odd.name.is_empty() => Some(format!(
            "`{whole}` ({place}) takes `{} {}`, which no trial passes",
            odd.base, odd.name
        )),
        Some(_) => Some(format!("`{whole}` ({place}) takes what no trial passes")),
        None => is_of_text(function).then(|| {
            format!(
                "`{whole}` ({place}) takes or gives text: decode it in the glue if it is hexadecimal or base64"
            )
        }),
    }
}

/// True if the message of a function is a text, by its types or by what its names say of it.
fn is_of_text(function: &Function) -> bool {
    const CODES: [&str; 2] = ["hex", "b64"];
    let says = |name: &str| {
        let parts = words(name);
        let whole = parts.concat();
        whole.contains("base64") || parts.iter().any(|part| CODES.contains(&part.as_str()))
    };
    let mut parameters = function.parameters.iter();
    is_text(&function.result)
        || says(&function.name) && function.result.contains("char")
        || parameters.any(|one| is_text(&one.base) || one.base == "char" && says(&one.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_must_call_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = "class SHA3_256 {\npublic:\n    void Write(Span<const unsigned char> data);\n};\n\
            struct cipher { void (*encrypt)(void *, unsigned char *); };\nextern const struct cipher aes128_cbc;\n";
        std::fs::write(folder.path().join("sha3.h"), header).expect("a file");
        let scanned = crate::scan::scan(folder.path()).expect("a library");
        let said = uncalled(&scanned, &[]);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].contains("SHA3_256::Write") && said[0].contains("Span"),
            "{said:?}"
        );
        assert!(said[1].contains("aes128_cbc"), "{said:?}");
    }
    #[test]
    fn functions_of_text_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = "class AESText {\npublic:\n    String encrypt(String plain, byte key[]);\n\
            void encrypt(const char *plain, byte key[]);\n};\nchar *aes_encrypt_hex(const char *in);\n\
            void aes_encrypt(const char *key_hex, uint8_t *block);\n";
        std::fs::write(folder.path().join("aes.h"), header).expect("a file");
        let scanned = crate::scan::scan(folder.path()).expect("a library");
        let said = uncalled(&scanned, &[]);
        let lines: Vec<bool> = ["(aes.h:3)", "(aes.h:6)", "(aes.h:7)"]
            .iter()
            .map(|place| said.iter().any(|one| one.contains(place)))
            .collect();
        assert_eq!((said.len(), lines), (3, vec![true; 3]), "{said:?}");
    }
}
