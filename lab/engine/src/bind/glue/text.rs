//! Pieces of C text.

use crate::bind::call::Call;
use crate::bind::slot::Slot;
use crate::bind::types::{Shape, shape, written};
use crate::scan::Scanned;

pub(super) fn flag(yes: bool) -> String {
    u8::from(yes).to_string()
}

/// A variable for the size that a function reports.
pub(super) fn out_size(found: &Call<'_>) -> &'static str {
    match found.has(Slot::OutSize) {
        true => "    unsigned long long out_size = AGENT_IO_BYTES;\n",
        false => "",
    }
}

/// Statements for buffers that a call may leave alone.
pub(super) fn unused(found: &Call<'_>, names: &[&str]) -> String {
    let all = found.has(Slot::In) && found.has(Slot::Out);
    if all {
        return String::new();
    }
    let marks: Vec<String> = names.iter().map(|name| format!("(void){name};")).collect();
    format!("    {}\n", marks.join(" "))
}

pub(super) fn measure(calls: &[String]) -> String {
    format!(
        "    AGENT_MEASURE({});\n",
        calls.join(";\n                  ")
    )
}

/// A function as it was declared.
pub fn declaration(scanned: &Scanned, call: &Call<'_>) -> String {
    let function = call.function();
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| {
            let constant = if parameter.is_const { "const " } else { "" };
            let stars = "*".repeat(parameter.pointers);
            let base = match (call.by_handle, shape(scanned, parameter)) {
                (true, Shape::Structure { .. } | Shape::StructureOut) => "void".to_owned(),
                _ => written(scanned, parameter),
            };
            format!("{constant}{base} {stars}{}", parameter.name)
                .trim_end()
                .to_owned()
        })
        .collect();
    let inside = if parameters.is_empty() {
        "void".to_owned()
    } else {
        parameters.join(", ")
    };
    format!("{} {}({inside})", function.result, function.name)
}

/// A text that cannot end the comment in which it stands.
pub fn comment(text: &str) -> String {
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace(['\n', '\r'], " ")
}
