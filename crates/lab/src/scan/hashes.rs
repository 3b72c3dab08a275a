//! Glue for a library's hashes, in the two shapes that they have: a context that is started,
//! fed and finished, and one call that takes the message and gives its digest.

use std::fmt::Write as _;

use super::declarations::{Function, Parameter};
use super::roles::{any, is_bytes, is_number, is_words, words};
use super::skeleton::{Glue, heading, includes, named};
use super::{Found, Library};
use crate::algorithm::Algorithm;
use crate::interface::Interface;

/// What a parameter of a hash takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Context,
    Data,
    Size,
    Out,
    OutSize,
}

/// Which step of a hash a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start,
    Update,
    Finish,
    Whole,
}

/// A function of a hash that a call can be written of.
struct Call<'l> {
    found: &'l Found,
    step: Step,
    takes: Vec<Takes>,
}

impl Call<'_> {
    fn context(&self) -> Option<&str> {
        let at = self.takes.iter().position(|one| *one == Takes::Context)?;
        Some(&self.found.entry.function.parameters[at].base)
    }

    fn text(&self) -> String {
        let function = &self.found.entry.function;
        let arguments = function.parameters.iter().zip(&self.takes);
        let arguments: Vec<String> = arguments
            .map(|(parameter, takes)| match takes {
                Takes::Context => "&context".into(),
                Takes::Data => bytes(parameter, "in"),
                Takes::Out => bytes(parameter, "out"),
                Takes::Size => "size".into(),
                Takes::OutSize => "DIGEST".into(),
            })
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }
}

/// The name of a buffer, as the type that is wanted; uint8_t is unsigned char.
fn bytes(parameter: &Parameter, name: &str) -> String {
    let same = ["uint8_t", "unsigned char", "void", "byte", "std::uint8_t"];
    if same.contains(&parameter.base.as_str()) {
        name.to_owned()
    } else {
        format!("({} *){name}", parameter.base)
    }
}

/// Glue for each hash of the lab that the library has.
pub(super) fn glues(library: &Library, algorithms: &[Algorithm]) -> Vec<Glue> {
    let calls: Vec<Call<'_>> = library.entries.iter().filter_map(understood).collect();
    let hashes: Vec<&Algorithm> = algorithms
        .iter()
        .filter(|algorithm| algorithm.interface == Interface::Hash)
        .collect();
    let mut glues = Vec::new();
    for algorithm in &hashes {
        let is_of = |call: &&Call<'_>| {
            let named = named(library, call.found, &hashes).0;
            named.is_some_and(|named| named.name == algorithm.name)
        };
        let mine: Vec<&Call<'_>> = calls.iter().filter(is_of).collect();
        let first = |step: Step, context: Option<&str>| {
            let fits = |call: &&&Call<'_>| call.step == step && call.context() == context;
            mine.iter().find(fits).copied()
        };
        let starts = mine.iter().filter(|call| call.step == Step::Start);
        let in_pieces = starts.copied().find_map(|start| {
            let context = start.context();
            let update = first(Step::Update, context)?;
            Some(vec![start, update, first(Step::Finish, context)?])
        });
        let Some(used) = in_pieces.or_else(|| first(Step::Whole, None).map(|whole| vec![whole]))
        else {
            continue;
        };
        glues.push(Glue {
            kind: "hash",
            algorithms: vec![algorithm.name.clone()],
            operations: match used.len() {
                1 => vec!["hash"],
                _ => vec!["hash", "start", "update", "finish"],
            },
            text: text(library, algorithm, &used),
            guessed: named(library, used[0].found, &hashes).1,
            used: used
                .iter()
                .map(|call| call.found.entry.function.name.clone())
                .collect(),
        });
    }
    glues
}

/// What a function of a hash does and takes; `None` if that is not clear.
fn understood(found: &Found) -> Option<Call<'_>> {
    let function = &found.entry.function;
    let own = words(&function.name);
    const KEYED: [&str; 7] = ["hmac", "mac", "kdf", "hkdf", "pbkdf", "pbkdf2", "cmac"];
    if function.class.is_some() || any(&own, &KEYED) {
        return None;
    }
    let step = step(&own, function)?;
    let buffers = function.parameters.iter().filter(|p| is_bytes(p)).count();
    let takes: Option<Vec<Takes>> = function
        .parameters
        .iter()
        .map(|parameter| takes(parameter, step, buffers))
        .collect();
    let takes = takes?;
    let mut sorted: Vec<Takes> = takes.clone();
    sorted.retain(|one| *one != Takes::OutSize);
    let wanted: &[&[Takes]] = match step {
        Step::Start => &[&[Takes::Context]],
        Step::Update => &[&[Takes::Context, Takes::Data, Takes::Size]],
        Step::Finish => &[&[Takes::Context, Takes::Out]],
        Step::Whole => &[&[Takes::Data, Takes::Size, Takes::Out]],
    };
    let same = |wanted: &&&[Takes]| {
        wanted.len() == sorted.len() && wanted.iter().all(|one| sorted.contains(one))
    };
    wanted.iter().find(same)?;
    Some(Call { found, step, takes })
}

fn step(own: &[String], function: &Function) -> Option<Step> {
    let has_context = function.parameters.iter().any(is_context);
    if !has_context {
        return Some(Step::Whole);
    }
    for (step, names) in [
        (
            Step::Start,
            &["init", "initialize", "start", "starts", "begin", "reset"][..],
        ),
        (
            Step::Update,
            &[
                "update", "write", "input", "absorb", "add", "append", "data",
            ],
        ),
        (
            Step::Finish,
            &[
                "final", "finish", "finalize", "result", "end", "done", "digest", "sum", "output",
            ],
        ),
    ] {
        if any(own, names) {
            return Some(step);
        }
    }
    None
}

fn is_context(parameter: &Parameter) -> bool {
    parameter.pointers == 1
        && !parameter.is_odd
        && !parameter.base.is_empty()
        && !is_bytes(parameter)
        && !is_words(parameter)
}

fn takes(parameter: &Parameter, step: Step, buffers: usize) -> Option<Takes> {
    let name = words(&parameter.name);
    if is_context(parameter) {
        return Some(Takes::Context);
    }
    if is_number(parameter) {
        let of_digest = ["out", "outlen", "digest", "hash", "md", "mdlen"];
        return Some(if any(&name, &of_digest) || step == Step::Start {
            Takes::OutSize
        } else {
            Takes::Size
        });
    }
    if !is_bytes(parameter) || any(&name, &["key", "ctx", "context"]) {
        return None;
    }
    match (step, buffers, parameter.is_const) {
        (Step::Update, 1, _) | (Step::Whole, 2, true) => Some(Takes::Data),
        (Step::Finish, 1, false) => Some(Takes::Out),
        (Step::Whole, 2, false) => {
            let input = ["in", "input", "data", "message", "msg", "src", "m"];
            Some(if any(&name, &input) {
                Takes::Data
            } else {
                Takes::Out
            })
        }
        _ => None,
    }
}

/// Bytes of a digest: what its name ends with, in bits. BLAKE2s says nothing, and has 32.
fn digest_bytes(algorithm: &Algorithm) -> u32 {
    let digits = algorithm
        .name
        .trim_end_matches(|c: char| c.is_ascii_digit());
    algorithm.name[digits.len()..]
        .parse()
        .map_or(32, |bits: u32| bits / 8)
}

fn text(library: &Library, algorithm: &Algorithm, used: &[&Call<'_>]) -> String {
    let found: Vec<&Found> = used.iter().map(|call| call.found).collect();
    let mut text = heading(library, std::slice::from_ref(&algorithm.name));
    includes(&mut text, library, &found);
    let _ = writeln!(text, "\nenum {{ DIGEST = {} }};\n", digest_bytes(algorithm));
    if let Some(context) = used[0].context() {
        let _ = writeln!(text, "static {context} context;\n");
    }
    let operation = |name: &str, calls: &[String], input: bool, output: bool| {
        let mut text = format!("static uint8_t {name}(struct agent_call *call)\n{{\n");
        if input {
            text.push_str(
                "    uint8_t *in = call->in[0].data;\n    uint16_t size = call->in[0].size;\n",
            );
        }
        if output {
            text.push_str("    uint8_t *out = call->out;\n");
        }
        if !input && !output {
            text.push_str("    (void)call;\n");
        }
        let _ = writeln!(
            text,
            "    AGENT_MEASURE({});",
            calls.join(";\n                  ")
        );
        if output {
            text.push_str("    call->out_size = DIGEST;\n");
        }
        text.push_str("    return 0;\n}\n\n");
        text
    };
    let calls: Vec<String> = used.iter().map(|call| call.text()).collect();
    text.push_str(&operation("hash", &calls, true, true));
    if let [start, update, finish] = &calls[..] {
        text.push_str(&operation(
            "start",
            std::slice::from_ref(start),
            false,
            false,
        ));
        text.push_str(&operation(
            "update",
            std::slice::from_ref(update),
            true,
            false,
        ));
        text.push_str(&operation(
            "finish",
            std::slice::from_ref(finish),
            false,
            true,
        ));
        text.push_str(
            "AGENT_OPERATIONS(\n    AGENT_OPERATION(HASH, \"hash\", hash)\n\
             \x20   AGENT_OPERATION(START, \"start\", start)\n\
             \x20   AGENT_OPERATION(UPDATE, \"update\", update)\n\
             \x20   AGENT_OPERATION(FINISH, \"finish\", finish))\n",
        );
    } else {
        text.push_str("AGENT_OPERATIONS(\n    AGENT_OPERATION(HASH, \"hash\", hash))\n");
    }
    text
}
