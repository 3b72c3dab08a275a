//! Names of parameters that a header leaves out: the source that defines the function has them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::declarations::{Function, Parameter};

/// Gives the parameters of declarations the names that the definitions have.
pub(super) fn name_parameters(functions: &mut [(Function, PathBuf, bool)]) {
    let is_named = |parameter: &Parameter| !parameter.name.is_empty();
    let defined = functions.iter().map(|(function, ..)| function);
    let defined = defined.filter(|function| function.has_body);
    let defined = defined.filter(|function| function.parameters.iter().any(is_named));
    let known: BTreeMap<String, Vec<Parameter>> = defined
        .map(|function| (function.qualified(), function.parameters.clone()))
        .collect();
    for (function, ..) in functions {
        if function.has_body || function.parameters.iter().all(is_named) {
            continue;
        }
        let Some(names) = known.get(&function.qualified()) else {
            continue;
        };
        let alike = |(a, b): (&Parameter, &Parameter)| a.base == b.base && a.pointers == b.pointers;
        let own = &function.parameters;
        if own.len() == names.len() && own.iter().zip(names).all(alike) {
            let pairs = function.parameters.iter_mut().zip(names);
            for (parameter, of) in pairs.filter(|(parameter, _)| parameter.name.is_empty()) {
                parameter.name.clone_from(&of.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::declarations::read;
    use super::*;

    fn found(text: &str, header: bool) -> Vec<(Function, PathBuf, bool)> {
        let functions = read(text.as_bytes()).functions.into_iter();
        functions
            .map(|function| (function, PathBuf::new(), header))
            .collect()
    }

    #[test]
    fn a_declaration_takes_the_names_of_its_definition() {
        let mut all = found("void set(enum kind, const unsigned char *, int);", true);
        all.extend(found("void other(int, unsigned char *);", true));
        let body = "void set(enum kind type, const unsigned char *key, int bits) {}";
        all.extend(found(body, false));
        // Another function of that name, such as an overload, says nothing.
        all.extend(found("void other(unsigned char *out, int n) {}", false));
        name_parameters(&mut all);
        let names = |at: usize| -> Vec<String> {
            let parameters = all[at].0.parameters.iter();
            parameters.map(|parameter| parameter.name.clone()).collect()
        };
        assert_eq!(names(0), ["type", "key", "bits"]);
        assert_eq!(names(1), ["", ""]);
    }
}
