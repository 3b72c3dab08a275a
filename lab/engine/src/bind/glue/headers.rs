//! The headers and declarations of the called functions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Writer;
use super::text::{comment, declaration};
use crate::bind::call::Call;
use crate::bind::recipe::described as described_by;
use crate::bind::slot::Slot;
use crate::bind::types::written;
use crate::data::is_cpp;
use crate::scan::declarations::Parameter;
use crate::scan::is_sketch;

impl Writer<'_, '_> {
    /// The headers that declare the called functions. A function that no header declares is
    /// declared here, after all headers, since its types stand in one of them.
    pub(super) fn includes(&self) -> String {
        let calls = self.recipe.calls();
        let (included, called): (Vec<&Call<'_>>, Vec<&Call<'_>>) =
            calls.iter().copied().partition(|call| call.by_inclusion());
        let mut bare: Vec<&Call<'_>> = Vec::new();
        for call in called.iter().filter(|call| !call.declared.in_header) {
            let is_same = |other: &&Call<'_>| other.label() == call.label();
            if !bare.iter().any(is_same) {
                bare.push(call);
            }
        }
        let mut text = String::new();
        for header in self.headers(&called, &bare) {
            let name = header.file_name().unwrap_or_default().to_string_lossy();
            let _ = if self.cpp && self.is_of_c(header) {
                writeln!(text, "extern \"C\" {{\n#include \"{name}\"\n}}")
            } else {
                writeln!(text, "#include \"{name}\"")
            };
        }
        for call in bare {
            text.push_str(&self.bare_declaration(call));
        }
        text.push_str(&self.presets());
        text.push_str(&sources_included(&included));
        let frees =
            |call: &&Call<'_>| call.returns_output && self.scanned.allocates(call.function());
        if calls.iter().copied().any(|call| frees(&call)) {
            text.push_str("\n#include <stdlib.h>");
        }
        text.push_str("\n#include <string.h>\n\n");
        let is_matrix = |parameter: &Parameter| parameter.pointers == 2;
        let mut parameters = calls.iter().flat_map(|call| &call.function().parameters);
        if self.cpp && parameters.any(is_matrix) {
            text.push_str(
                "/* A pointer that any parameter takes, such as one to rows of a matrix. */\n\
                 struct any_pointer {\n    void *at;\n    template <typename T> operator T *() const { return (T *)at; }\n};\n\n",
            );
        }
        text.push_str(&self.places_of_library());
        for namespace in self.namespaces() {
            let _ = writeln!(text, "using namespace {namespace};\n");
        }
        text
    }

    /// The headers of the calls, of the sources of the bare ones, and of the class.
    fn headers<'a>(&'a self, called: &[&'a Call<'_>], bare: &[&'a Call<'_>]) -> Vec<&'a Path> {
        let mut headers: Vec<&Path> = Vec::new();
        for call in called.iter().filter(|call| call.declared.in_header) {
            add(&mut headers, call.declared.file.as_path());
        }
        if self.recipe.as_source {
            headers.splice(0..0, self.headers_of_sources());
            headers.dedup();
        }
        for call in bare.iter().filter(|call| !call.by_handle) {
            // The headers that its source includes have the types.
            let names = self.scanned.includes.get(&call.declared.file);
            for name in names.into_iter().flatten() {
                let ends = |header: &&PathBuf| header.ends_with(name.trim_start_matches("../"));
                if let Some(header) = self.scanned.headers.iter().find(ends) {
                    add(&mut headers, header.as_path());
                }
            }
        }
        for (_, file, _) in self.described().filter(|(.., in_header)| *in_header) {
            add(&mut headers, file.as_path());
        }
        let spelled = self.recipe.class.iter();
        // An instance of a class template names several classes.
        for class in spelled.flat_map(|class| class.split(['<', '>'])) {
            if let Some(header) = self.header_of_class(class) {
                add(&mut headers, header);
            }
        }
        headers
    }

    /// The declaration of a function, or of a key's place, that no header declares.
    fn bare_declaration(&self, call: &Call<'_>) -> String {
        let function = call.function();
        let held = call.slots.iter().position(|slot| *slot == Slot::Held);
        if let Some(place) = held.and_then(|at| function.parameters.get(at)) {
            if place.name.contains('.') {
                return String::new(); // a member of the state or object
            }
            let array = place.array.as_deref().unwrap_or_default();
            let of = written(self.scanned, place);
            let rows = if place.pointers == 2 { "[4]" } else { "" };
            return format!("extern {of} {}{rows}[{array}];\n", place.name);
        }
        let c = self.cpp && !self.scanned.definition(function).is_some_and(|f| is_cpp(f));
        let linkage = if c { "extern \"C\" " } else { "" };
        format!(
            "/* No header declares it; from {}:{}. */\n{linkage}{};\n",
            comment(&call.declared.file.to_string_lossy()),
            function.line,
            declaration(self.scanned, call)
        )
    }

    /// The objects that describe the algorithm to the called functions.
    fn described(&self) -> impl Iterator<Item = &(Parameter, PathBuf, bool)> {
        let calls = self.recipe.calls().into_iter();
        let passed = calls.flat_map(|call| call.function().parameters.iter().zip(&call.slots));
        let described = passed.filter(|(_, slot)| **slot == Slot::Described);
        described.filter_map(|(parameter, _)| {
            described_by(self.scanned, parameter, self.recipe.algorithm)
        })
    }

    /// Names for the library's arrays that no variable of the glue hides.
    fn places_of_library(&self) -> String {
        let calls = self.recipe.calls().into_iter();
        let passed = calls.flat_map(|call| call.function().parameters.iter().zip(&call.slots));
        let held = passed.filter(|(place, slot)| **slot == Slot::Held && !place.name.contains('.'));
        let lines: BTreeSet<String> = held
            .map(|(place, _)| {
                let name = &place.name;
                format!("static void *const library_{name} = (void *){name};\n")
            })
            .collect();
        match lines.is_empty() {
            true => String::new(),
            false => lines.into_iter().collect::<String>() + "\n",
        }
    }

    /// The declarations of numbers that the caller sets and no header declares.
    fn presets(&self) -> String {
        let apart = self.recipe.apart.as_ref();
        let presets = apart.into_iter().flat_map(|apart| &apart.presets);
        let declared = presets.filter_map(|preset| preset.declare.clone());
        let objects = self.described().filter(|(.., in_header)| !in_header);
        let objects = objects.map(|(object, ..)| format!("const {} {}", object.base, object.name));
        declared
            .chain(objects)
            .map(|declare| format!("extern {declare};\n"))
            .collect()
    }

    /// The namespaces of the called functions.
    fn namespaces(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for call in self.recipe.calls() {
            let namespace = call.function().namespace.as_str();
            if !namespace.is_empty() && !found.contains(&namespace) {
                found.push(namespace);
            }
        }
        found
    }

    /// The library's headers that the sources of the called functions include, in their order.
    fn headers_of_sources(&self) -> Vec<&Path> {
        let mut headers: Vec<&Path> = Vec::new();
        for call in self.recipe.calls() {
            let source = self.scanned.definition(call.function());
            let includes = source.and_then(|source| self.scanned.includes.get(source));
            for include in includes.into_iter().flatten() {
                let ends = |header: &&PathBuf| header.ends_with(include.trim_start_matches("../"));
                let found = self.scanned.headers.iter().find(ends).map(PathBuf::as_path);
                headers.extend(found.filter(|header| !headers.contains(header)));
            }
        }
        headers
    }

    /// True if all functions that a header declares are defined in C.
    fn is_of_c(&self, header: &Path) -> bool {
        let here = |declared: &&crate::scan::Declared| declared.file == header;
        let mut functions = self.scanned.functions.iter().filter(here).peekable();
        functions.peek().is_some()
            && functions.all(|declared| {
                let function = &declared.function;
                let defined = self.scanned.definition(function);
                function.class.is_none() && defined.is_some_and(|file| !is_cpp(file))
            })
    }

    /// The header that has the methods of a class, or those of the class that it is made from.
    fn header_of_class(&self, class: &str) -> Option<&Path> {
        let of = |name: &str| {
            self.scanned
                .functions
                .iter()
                .find(|declared| {
                    declared.in_header && declared.function.class.as_deref() == Some(name)
                })
                .map(|declared| declared.file.as_path())
        };
        of(class).or_else(|| {
            self.scanned
                .class_files
                .get(class)
                .map(|file| file.as_path())
        })
    }
}

fn add<'a>(headers: &mut Vec<&'a Path>, header: &'a Path) {
    if !headers.contains(&header) {
        headers.push(header);
    }
}

/// The sources of functions that can be called in them only.
fn sources_included(calls: &[&Call<'_>]) -> String {
    let mut sources: Vec<&Path> = Vec::new();
    for call in calls {
        let file = call.declared.file.as_path();
        if !sources.contains(&file) {
            sources.push(file);
        }
    }
    let mut text = String::new();
    if sources.iter().any(|file| is_sketch(file)) {
        text.push_str("#include <Arduino.h>\n");
    }
    for source in sources {
        let _ = writeln!(
            text,
            "/* Its functions can be called in this source only. */\n#include \"{}\"",
            source.display()
        );
    }
    text
}
