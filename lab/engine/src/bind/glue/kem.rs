//! The operations of a key encapsulation. The glue keeps the keys and the ciphertext, so that each
//! is in memory once; the host passes them in pieces (docs/contributor/agent-protocol.md).

use std::fmt::Write as _;

use selo_vectors::{Algorithm, Interface as Kind};

use super::text::measure;
use super::{NAMES, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::KeyCalls;
use crate::bind::slot::Purpose;
use crate::bind::types::written;

/// The parts of a key encapsulation.
const PARTS: &str = "
static uint8_t public_key[PUBLIC], private_key[PRIVATE], ciphertext[CIPHERTEXT];

#define PARTS { public_key, private_key, ciphertext }
#define PART_SIZES { PUBLIC, PRIVATE, CIPHERTEXT }
";

/// The operations that move the parts.
pub(super) const LOAD_AND_FETCH: &str = "

static agent_size two(const struct agent_field *field)
{
    return (agent_size)(field->data[0] << 8 | field->data[1]);
}

/* The bytes of a part from an offset, or NULL if it has not so many. */
static uint8_t *part(const struct agent_call *call, agent_size bytes)
{
    static uint8_t *const parts[] = PARTS;
    static const agent_size sizes[] = PART_SIZES;
    if (call->in[0].size != 1 || call->in[1].size != 2 || call->in[0].data[0] >= 3)
        return NULL;
    const uint8_t number = call->in[0].data[0];
    const agent_size offset = two(&call->in[1]);
    return offset <= sizes[number] && bytes <= sizes[number] - offset ? parts[number] + offset : NULL;
}

static uint8_t run_load(struct agent_call *call)
{
    uint8_t *to = part(call, call->in[2].size);
    if (!to)
        return AGENT_BAD_SIZE;
    memcpy(to, call->in[2].data, call->in[2].size);
    return 0;
}

static uint8_t run_fetch(struct agent_call *call)
{
    const agent_size bytes = call->in[2].size == 2 ? two(&call->in[2]) : 0xffff;
    const uint8_t *from = bytes <= AGENT_IO_BYTES ? part(call, bytes) : NULL;
    if (!from)
        return AGENT_BAD_SIZE;
    memcpy(call->out, from, bytes);
    call->out_size = bytes;
    return 0;
}

";

/// Some C libraries leave the end of a program to the program.
pub(super) const EXIT: &str = "
#include \"program_end.h\"
";

impl Writer<'_, '_> {
    /// The operations of a key encapsulation.
    pub(super) fn encapsulation(&self, keys: &KeyCalls<'_>) -> String {
        let kind = Algorithm::named(&self.recipe.algorithm.name).map(|known| known.interface());
        let Ok(Kind::Kem(sizes)) = kind else {
            return String::new(); // no vectors, so no trial
        };
        let mut text = format!(
            "enum {{ PUBLIC = {}, PRIVATE = {}, CIPHERTEXT = {}, SEED = 64, RANDOM = 32, SECRET = 32, BAD_KEY = 5 }};\n",
            sizes.public_bytes, sizes.private_bytes, sizes.ciphertext_bytes
        );
        text.push_str(PARTS);
        text.push_str(LOAD_AND_FETCH);
        text.push_str(&self.drawn(keys));
        text.push_str(EXIT);
        let operation = |name: &str, input: &str, call: &Option<Call<'_>>, purpose, end: &str| {
            let returns = call
                .as_ref()
                .is_none_or(|call| call.function().result.trim() != "void");
            let call = call.as_ref().map(|call| self.call(call, &NAMES, purpose));
            let call = call.unwrap_or_default();
            let call = if returns {
                format!("failed = {call}")
            } else {
                format!("failed = 0, {call}")
            };
            let check = match input {
                "" => "    (void)seed;\n".to_owned(),
                size => format!(
                    "    if (call->in[0].size != {size})\n        return AGENT_BAD_SIZE;\n    DRAWN(seed, {size});\n"
                ),
            };
            format!(
                "static uint8_t run_{name}(struct agent_call *call)\n{{\n    uint8_t *seed = call->in[0].data, *out = call->out;\n    int failed;\n    (void)out;\n{check}{}{end}    return failed ? BAD_KEY : 0;\n}}\n\n",
                measure(&[call])
            )
        };
        let secret = "    call->out_size = SECRET;\n";
        text.push_str(&operation(
            "keygen",
            "SEED",
            &keys.pair,
            Purpose::KemPair,
            "",
        ));
        let of = Purpose::Encapsulate;
        text.push_str(&operation(
            "encapsulate",
            "RANDOM",
            &keys.encapsulate,
            of,
            secret,
        ));
        let of = Purpose::Decapsulate;
        text.push_str(&operation("decapsulate", "", &keys.decapsulate, of, secret));
        text
    }

    /// The library's source of random numbers: the bytes that the host gives, then zeros.
    pub(super) fn drawn(&self, keys: &KeyCalls<'_>) -> String {
        let Some(source) = keys.random else {
            return "#define DRAWN(bytes, size) ((void)(bytes))\n#define DRAWN_BYTES 0\n"
                .to_owned();
        };
        let function = &source.function;
        let [buffer, size] = function.parameters.as_slice() else {
            return String::new();
        };
        let mut text = String::new();
        if source.in_header {
            // It may give the function another name.
            let header = source.file.file_name().unwrap_or_default();
            let _ = writeln!(text, "#include \"{}\"\n", header.to_string_lossy());
        }
        let (c, back) = (
            if self.cpp { "extern \"C\" " } else { "" },
            if function.result.trim() == "void" {
                ""
            } else {
                "    return 0;\n"
            },
        );
        let _ = write!(
            text,
            "/* What the library takes for random numbers: the bytes of the call, then zeros. */\n\
             static const uint8_t *given;\nstatic agent_size given_left;\nstatic size_t given_taken;\n\n\
             {c}{result} {name}({base} {stars}output, {number} wanted)\n{{\n\
             \x20   uint8_t *to = (uint8_t *)output;\n\
             \x20   for (size_t at = 0; at < (size_t)wanted; at++) {{\n\
             \x20       to[at] = given_left ? *given++ : 0;\n        given_left -= given_left != 0;\n    }}\n    given_taken += (size_t)wanted;\n{back}}}\n\
             #define DRAWN(bytes, size) (given = (bytes), given_left = (size), given_taken = 0)\n#define DRAWN_BYTES given_taken\n",
            result = function.result,
            name = function.name,
            base = written(self.scanned, buffer),
            stars = "*".repeat(buffer.pointers),
            number = written(self.scanned, size),
        );
        text
    }
}
