//! Glue for a library's hashes and MACs, in the shapes that they have: a context, or an object of
//! a class, that is started, fed and finished, and one call that takes the message and gives its
//! digest.

use std::fmt::Write as _;

use super::declarations::{Function, Parameter};
use super::roles::{any, is_bytes, is_number, is_words, words};
use super::skeleton::{Glue, descends, heading, includes, named};
use super::{Found, Scanned};
use crate::algorithm::Algorithm;
use crate::interface::Interface;

/// What a parameter of a hash takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Context,
    Key,
    KeySize,
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
    /// It is of a MAC, by its name.
    keyed: bool,
}

impl Call<'_> {
    /// The type of what it works on: a structure, or its class.
    fn context(&self) -> Option<&str> {
        let function = &self.found.entry.function;
        if let Some(class) = &function.class {
            return Some(class);
        }
        let at = self.takes.iter().position(|one| *one == Takes::Context)?;
        Some(&function.parameters[at].base)
    }

    fn takes(&self, what: Takes) -> bool {
        self.takes.contains(&what)
    }

    fn text(&self) -> String {
        let function = &self.found.entry.function;
        let arguments = function.parameters.iter().zip(&self.takes);
        let arguments: Vec<String> = arguments
            .map(|(parameter, takes)| match takes {
                Takes::Context => "&context".into(),
                Takes::Key => bytes(parameter, "key"),
                Takes::KeySize => "key_size".into(),
                Takes::Data => bytes(parameter, "in"),
                Takes::Out => bytes(parameter, "out"),
                Takes::Size => "size".into(),
                Takes::OutSize => "DIGEST".into(),
            })
            .collect();
        let object = if function.class.is_some() {
            "context."
        } else {
            ""
        };
        format!("{object}{}({})", function.name, arguments.join(", "))
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

/// Glue for each hash and each MAC of the lab that the library has.
pub(super) fn glues(scanned: &Scanned, algorithms: &[Algorithm]) -> Vec<Glue> {
    let hashes: Vec<&Algorithm> = algorithms
        .iter()
        .filter(|algorithm| algorithm.interface == Interface::Hash)
        .collect();
    // Each call with the hash that it is of, and whether that is a guess.
    let calls: Vec<(Call<'_>, &Algorithm, bool)> = scanned
        .entries
        .iter()
        .filter_map(understood)
        .filter(|call| {
            let class = call.found.entry.function.class.as_ref();
            class.is_none_or(|class| !scanned.abstract_classes.contains(class))
        })
        .filter_map(|call| {
            let (hash, guessed) = named(scanned, call.found, &hashes);
            Some((call, hash?, guessed))
        })
        .collect();
    let mut glues = Vec::new();
    for algorithm in algorithms {
        let (hash, keyed) = match algorithm.interface {
            Interface::Hash => (algorithm.name.as_str(), false),
            // The hash of an HMAC is in its name.
            Interface::Mac => match algorithm.name.strip_prefix("hmac-") {
                Some(hash) => (hash, true),
                None => continue,
            },
            _ => continue,
        };
        let mine = || calls.iter().filter(|call| call.1.name == hash);
        let of_step = |step: Step, keyed: bool| {
            mine().filter(move |call| call.0.step == step && call.0.keyed == keyed)
        };
        let same = |one: &Call<'_>, other: &Call<'_>| match (one.context(), other.context()) {
            (Some(one), Some(other)) => one == other || descends(scanned, one, other),
            _ => false,
        };
        // What a class does with a message is the same with a key and without.
        let after = |start: &Call<'_>, step: Step| {
            let shared = start.found.entry.function.class.is_some();
            of_step(step, keyed)
                .chain(of_step(step, false).filter(move |_| shared))
                .find(|call| same(start, &call.0))
        };
        let in_pieces = of_step(Step::Start, keyed).find_map(|start| {
            let update = after(&start.0, Step::Update)?;
            Some(vec![start, update, after(&start.0, Step::Finish)?])
        });
        let whole = || of_step(Step::Whole, keyed).next().map(|whole| vec![whole]);
        let Some(used) = in_pieces.or_else(whole) else {
            continue;
        };
        let guessed = used[0].2;
        let used: Vec<&Call<'_>> = used.iter().map(|call| &call.0).collect();
        let whole = if keyed { "mac" } else { "hash" };
        glues.push(Glue {
            kind: whole,
            algorithms: vec![algorithm.name.clone()],
            operations: match used.len() {
                1 => vec![whole],
                _ => vec![whole, "start", "update", "finish"],
            },
            text: text(scanned, algorithm, &used, whole),
            guessed,
            used: used
                .iter()
                .map(|call| call.found.entry.function.name.clone())
                .collect(),
            cpp: used[0].found.entry.function.class.is_some(),
        });
    }
    glues
}

/// What a function of a hash does and takes; `None` if that is not clear.
fn understood(found: &Found) -> Option<Call<'_>> {
    let function = &found.entry.function;
    let own = words(&function.name);
    const OTHERS: [&str; 6] = ["mac", "kdf", "hkdf", "pbkdf", "pbkdf2", "cmac"];
    if any(&own, &OTHERS) {
        return None;
    }
    let class = function.class.as_deref().map(words).unwrap_or_default();
    let keyed = any(&own, &["hmac"]) || any(&class, &["hmac"]);
    let step = step(&own, function)?;
    let buffers = function.parameters.iter().filter(|p| is_bytes(p)).count();
    let mut takes: Vec<Takes> = Vec::new();
    for parameter in &function.parameters {
        let before = takes.last().copied();
        takes.push(if keyed {
            taken_with_key(parameter, step, before, takes.contains(&Takes::Key))?
        } else {
            taken(parameter, step, buffers)?
        });
    }
    let mut sorted: Vec<Takes> = takes.clone();
    // An object is its own context; sizes of keys and digests may be settled.
    sorted.retain(|one| !matches!(one, Takes::OutSize | Takes::Context | Takes::KeySize));
    let key = sorted.iter().filter(|one| **one == Takes::Key).count();
    sorted.retain(|one| *one != Takes::Key);
    let wanted: &[Takes] = match step {
        Step::Start => &[],
        Step::Update => &[Takes::Data, Takes::Size],
        Step::Finish => &[Takes::Out],
        Step::Whole => &[Takes::Data, Takes::Size, Takes::Out],
    };
    let contexts = takes.iter().filter(|one| **one == Takes::Context).count();
    let has_context = function.class.is_some() || contexts == 1;
    // A key is given when a MAC starts, and may be asked for again at its end.
    let keys = match (keyed, step) {
        (false, _) | (true, Step::Update) => key == 0,
        (true, Step::Start | Step::Whole) => key == 1,
        (true, Step::Finish) => key <= 1,
    };
    let right = wanted.len() == sorted.len()
        && wanted.iter().all(|one| sorted.contains(one))
        && contexts <= 1
        && has_context == (step != Step::Whole)
        && keys;
    right.then_some(Call {
        found,
        step,
        takes,
        keyed,
    })
}

fn step(own: &[String], function: &Function) -> Option<Step> {
    let has_context = function.class.is_some() || function.parameters.iter().any(is_context);
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

/// The same for a MAC: a number belongs to the buffer before it.
fn taken_with_key(
    parameter: &Parameter,
    step: Step,
    before: Option<Takes>,
    has_key: bool,
) -> Option<Takes> {
    if is_context(parameter) {
        return Some(Takes::Context);
    }
    if is_number(parameter) {
        return match before? {
            Takes::Key => Some(Takes::KeySize),
            Takes::Data => Some(Takes::Size),
            Takes::Out => Some(Takes::OutSize),
            _ => None,
        };
    }
    if !is_bytes(parameter) {
        return None;
    }
    let name = words(&parameter.name);
    const KEYS: [&str; 3] = ["key", "k", "secret"];
    const DIGESTS: [&str; 8] = [
        "out", "output", "mac", "digest", "hash", "tag", "md", "result",
    ];
    Some(if any(&name, &KEYS) {
        Takes::Key
    } else if any(&name, &DIGESTS) || !parameter.is_const && step != Step::Update {
        Takes::Out
    } else if has_key || step == Step::Update {
        Takes::Data
    } else if name.is_empty() {
        // Of buffers without names the key comes first.
        Takes::Key
    } else {
        Takes::Data
    })
}

fn taken(parameter: &Parameter, step: Step, buffers: usize) -> Option<Takes> {
    let name = words(&parameter.name);
    if is_context(parameter) {
        return Some(Takes::Context);
    }
    if is_number(parameter) {
        let of_digest = ["out", "outlen", "digest", "hash", "md", "mdlen"];
        let not_of_message = matches!(step, Step::Start | Step::Finish);
        return Some(if any(&name, &of_digest) || not_of_message {
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

fn text(scanned: &Scanned, algorithm: &Algorithm, used: &[&Call<'_>], whole: &str) -> String {
    let found: Vec<&Found> = used.iter().map(|call| call.found).collect();
    let mut text = heading(scanned, std::slice::from_ref(&algorithm.name));
    includes(&mut text, scanned, &found);
    // At the end of a message the key is not there any more.
    let keeps_key = used
        .iter()
        .any(|call| call.step == Step::Finish && call.takes(Takes::Key));
    if keeps_key {
        text.push_str("\n#include <string.h>\n");
    }
    let _ = writeln!(text, "\nenum {{ DIGEST = {} }};\n", digest_bytes(algorithm));
    if let Some(context) = used[0].context() {
        let _ = writeln!(text, "static {context} context;\n");
    }
    if keeps_key {
        text.push_str(
            "/* The library asks for the key again at the end. */\n\
             static uint8_t kept[AGENT_IO_BYTES];\nstatic agent_size kept_size;\n\n",
        );
    }
    let is_mac = whole == "mac";
    let operation = |name: &str, calls: &[&&Call<'_>]| {
        let step = |step: Step| calls.iter().any(|call| call.step == step);
        let takes = |what: Takes| calls.iter().any(|call| call.takes(what));
        let message = takes(Takes::Data);
        let at = usize::from(is_mac && takes(Takes::Key));
        let mut text = format!("static uint8_t {name}(struct agent_call *call)\n{{\n");
        if takes(Takes::Key) && (step(Step::Start) || step(Step::Whole)) {
            text.push_str("    uint8_t *key = call->in[0].data;\n");
            if takes(Takes::KeySize) || keeps_key {
                text.push_str("    agent_size key_size = call->in[0].size;\n");
            }
            if keeps_key && name == "start" {
                text.push_str("    memcpy(kept, key, key_size);\n    kept_size = key_size;\n");
            }
        } else if takes(Takes::Key) {
            text.push_str("    uint8_t *key = kept;\n    agent_size key_size = kept_size;\n");
        }
        if message {
            let _ = writeln!(
                text,
                "    uint8_t *in = call->in[{at}].data;\n    agent_size size = call->in[{at}].size;"
            );
        }
        if takes(Takes::Out) {
            text.push_str("    uint8_t *out = call->out;\n");
        }
        if !message && !takes(Takes::Out) && !takes(Takes::Key) {
            text.push_str("    (void)call;\n");
        }
        let calls: Vec<String> = calls.iter().map(|call| call.text()).collect();
        let _ = writeln!(
            text,
            "    AGENT_MEASURE({});",
            calls.join(";\n                  ")
        );
        if takes(Takes::Out) {
            text.push_str("    call->out_size = DIGEST;\n");
        }
        text.push_str("    return 0;\n}\n\n");
        text
    };
    let all: Vec<&&Call<'_>> = used.iter().collect();
    text.push_str(&operation(whole, &all));
    let _ = write!(
        text,
        "{}",
        match &all[..] {
            [start, update, finish] => [
                operation("start", &[start]),
                operation("update", &[update]),
                operation("finish", &[finish]),
            ]
            .concat(),
            _ => String::new(),
        }
    );
    let upper = whole.to_uppercase();
    let _ = write!(
        text,
        "AGENT_OPERATIONS(\n    AGENT_OPERATION({upper}, \"{whole}\", {whole})"
    );
    if all.len() == 3 {
        text.push_str(
            "\n    AGENT_OPERATION(START, \"start\", start)\n\
             \x20   AGENT_OPERATION(UPDATE, \"update\", update)\n\
             \x20   AGENT_OPERATION(FINISH, \"finish\", finish)",
        );
    }
    text.push_str(")\n");
    text
}
