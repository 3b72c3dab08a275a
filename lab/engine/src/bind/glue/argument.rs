//! One call of the library as an expression of C.

use super::text::flag;
use super::{Names, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::described;
use crate::bind::slot::{Purpose, Slot, speaks_of_room};
use crate::bind::types::{Shape, constants, shape, written};
use crate::interface::Interface;
use crate::scan::declarations::Parameter;

impl Writer<'_, '_> {
    /// One call of the library, as an expression.
    pub(super) fn call(&self, found: &Call<'_>, names: &Names, purpose: Purpose) -> String {
        let function = found.function();
        let arguments = self.arguments(found, names, purpose);
        if found.purpose == Purpose::Construct {
            let class = self.recipe.class.as_deref().unwrap_or_default();
            return format!("new (agent_place(), place_of_object) {class}({arguments})");
        }
        let object = match (&function.class, function.is_static) {
            (Some(class), true) => format!("{}::", self.recipe.class.as_ref().unwrap_or(class)),
            (Some(_), false) => "object.".to_owned(),
            _ => String::new(),
        };
        format!("{object}{}({arguments})", function.name)
    }

    /// The arguments of a call.
    pub(super) fn arguments(&self, found: &Call<'_>, names: &Names, purpose: Purpose) -> String {
        let arguments: Vec<String> = found
            .function()
            .parameters
            .iter()
            .zip(&found.slots)
            .map(|(parameter, slot)| {
                let argument = self.argument(found, parameter, *slot, names, purpose);
                self.referred(parameter, *slot, argument)
            })
            .collect();
        arguments.join(", ")
    }

    /// The object behind an argument, for a parameter that is a reference.
    fn referred(&self, parameter: &Parameter, slot: Slot, argument: String) -> String {
        let base = &parameter.base;
        let constant = if parameter.is_const { "const " } else { "" };
        match (&parameter.array, shape(self.scanned, parameter)) {
            _ if !parameter.is_reference => argument,
            (_, Shape::Structure { by_value: true }) => argument,
            // The library's state is an array itself.
            (_, Shape::Bytes { .. } | Shape::Words) if slot == Slot::State => argument,
            (Some(size), _) => format!("*({constant}{base} (*)[{size}]){argument}"),
            (None, Shape::Bytes { .. }) => format!("*({constant}{base} *){argument}"),
            (None, _) => format!("*({argument})"),
        }
    }

    // Long because it is one flat match over every slot.
    pub(super) fn argument(
        &self,
        found: &Call<'_>,
        parameter: &Parameter,
        slot: Slot,
        names: &Names,
        purpose: Purpose,
    ) -> String {
        let of = shape(self.scanned, parameter);
        let is_choice = matches!(of, Shape::Choice { .. });
        let buffer = |name: &str| self.buffer(parameter, &of, name);
        match slot {
            Slot::State => self.state_argument(found, parameter, &of, purpose),
            Slot::StateOut => format!("&{}", self.holder(found, purpose)),
            Slot::Cipher => self.cipher(found, parameter),
            Slot::Chains => flag(self.recipe.algorithm.interface == Interface::ModeCbc),
            Slot::Message if matches!(of, Shape::Structure { by_value: false }) => {
                "&message".to_owned()
            }
            Slot::Message => "message".to_owned(),
            // A member of the glue's state or object, or an array of the library.
            Slot::Held if parameter.name.contains('.') => parameter.name.clone(),
            Slot::Held => format!("library_{}", parameter.name),
            Slot::Key => buffer(names.key),
            Slot::KeyCopy => buffer("once"),
            Slot::Iv => buffer(names.iv),
            Slot::In => buffer(names.input),
            Slot::Out | Slot::InPlace => buffer(names.output),
            Slot::OutWithIv => buffer(&format!("({} - BLOCK)", names.output)),
            Slot::Ad => buffer("ad"),
            Slot::Tag => buffer("tag"),
            Slot::Public => buffer(names.public_key),
            Slot::Secret | Slot::Seed | Slot::Peer | Slot::Signature | Slot::Capsule => {
                buffer(&self.key_argument(slot).unwrap_or_default())
            }
            Slot::Described => self.description(parameter),
            Slot::Curve => self.key_argument(slot).unwrap_or_default(),
            Slot::Checked => format!("({} *)&checked", parameter.base),
            Slot::OutSize => format!("({} *)&out_size", parameter.base),
            Slot::Place => format!("({} *)&place", parameter.base),
            Slot::InByte => format!("{}[at]", names.input),
            Slot::KeyName => self.key_name(parameter),
            Slot::ModeName => (self.recipe.mode_name.clone()).unwrap_or_else(|| "0".to_owned()),
            Slot::Encrypts if is_choice => self.direction(parameter, purpose),
            Slot::Zero if is_choice => format!("({})0", parameter.base),
            Slot::Scratch => "scratch".to_owned(),
            Slot::Increment => "increment".to_owned(),
            Slot::Encrypts => flag(!goes_back(purpose)),
            Slot::Decrypts => flag(goes_back(purpose)),
            // An empty key: some functions refuse a pointer to nothing.
            Slot::Null if self.is_digest() && parameter.name.to_lowercase().contains("key") => {
                format!("({} *)\"\"", written(self.scanned, parameter))
            }
            Slot::Null => (if self.cpp { "nullptr" } else { "NULL" }).to_owned(),
            // The room of the buffer, which may be more than the output needs.
            Slot::OutBytes if speaks_of_room(&parameter.name) && !found.has(Slot::OutWithIv) => {
                "AGENT_IO_BYTES - BLOCK".to_owned()
            }
            Slot::OutBytes | Slot::Bytes | Slot::Blocks | Slot::Bits => {
                self.length(found, slot, names)
            }
            Slot::CounterBytes
            | Slot::LengthBytes
            | Slot::IvBytes
            | Slot::TagBytes
            | Slot::AdBytes
            | Slot::KeyBytes
            | Slot::KeyBits
            | Slot::KeyWords
            | Slot::Rounds
            | Slot::BlockBytes
            | Slot::BlockBits
            | Slot::Rate
            | Slot::RateBytes
            | Slot::Capacity
            | Slot::Suffix
            | Slot::DigestBytes
            | Slot::DigestBits
            | Slot::SignatureBytes
            | Slot::Zero => self.constant_of(slot).to_owned(),
        }
    }

    /// The object that describes the algorithm.
    fn description(&self, parameter: &Parameter) -> String {
        match described(self.scanned, parameter, self.recipe.algorithm) {
            Some((object, ..)) => format!("&{}", object.name),
            None => "0".to_owned(),
        }
    }

    /// The place of the state, as the parameter wants it.
    fn state_argument(
        &self,
        found: &Call<'_>,
        parameter: &Parameter,
        of: &Shape,
        purpose: Purpose,
    ) -> String {
        let name = self.holder(found, purpose);
        match of {
            Shape::Structure { by_value: false } if !self.is_made(found) => format!("&{name}"),
            Shape::Words if self.recipe.iv_first && found.purpose == Purpose::SetKey => {
                format!("{name} + BLOCK / sizeof {name}[0]")
            }
            Shape::Untyped => format!("(void *){name}"),
            Shape::Bytes { .. } | Shape::Words if parameter.pointers == 2 => {
                self.buffer(parameter, of, name)
            }
            _ => name.to_owned(),
        }
    }

    /// The length of a message, in the unit of the slot.
    fn length(&self, found: &Call<'_>, slot: Slot, names: &Names) -> String {
        let size = names.size;
        match slot {
            Slot::OutBytes if found.has(Slot::OutWithIv) => format!("{size} + BLOCK"),
            // The library may add padding, so the output is longer than the message.
            Slot::OutBytes if self.recipe.pads && names.input == "out" => "padded".to_owned(),
            Slot::Blocks if found.makes_stream() => format!("({size} + BLOCK - 1) / BLOCK"),
            Slot::Blocks => format!("{size} / BLOCK"),
            Slot::Bits => format!("8 * {size}"),
            _ => size.to_owned(),
        }
    }

    /// A number that is the same for all messages.
    fn constant_of(&self, slot: Slot) -> &'static str {
        let algorithm = self.recipe.algorithm;
        let is_mac = algorithm.interface == Interface::Mac;
        let is_aead = algorithm.interface == Interface::Aead;
        match slot {
            Slot::CounterBytes | Slot::BlockBytes => "BLOCK",
            Slot::LengthBytes => "15 - nonce_size",
            Slot::IvBytes if is_aead => "nonce_size",
            Slot::IvBytes => "BLOCK",
            Slot::TagBytes if is_aead => "tag_size",
            Slot::TagBytes => "TAG",
            Slot::AdBytes => "ad_size",
            Slot::KeyBytes if is_mac => "key_size",
            Slot::KeyBits if is_mac => "8 * key_size",
            Slot::KeyBytes if algorithm.key_bytes.is_none() => "0",
            Slot::KeyBytes => "AGENT_KEY_BYTES",
            Slot::KeyBits => "8 * AGENT_KEY_BYTES",
            Slot::KeyWords => "AGENT_KEY_BYTES / 4",
            Slot::Rounds => "AGENT_KEY_BYTES / 4 + 6",
            Slot::BlockBits => "8 * BLOCK",
            Slot::Rate => "1600 - 16 * DIGEST",
            Slot::RateBytes => "200 - 2 * DIGEST",
            Slot::Capacity => "16 * DIGEST",
            Slot::Suffix => "0x06",
            Slot::DigestBytes => "DIGEST",
            Slot::DigestBits => "8 * DIGEST",
            Slot::SignatureBytes => "signature_size",
            _ => "0",
        }
    }

    fn is_digest(&self) -> bool {
        let interface = self.recipe.algorithm.interface;
        matches!(interface, Interface::Hash | Interface::Mac)
    }

    fn key_bits(&self) -> String {
        (8 * self.recipe.algorithm.key_bytes.unwrap_or(16)).to_string()
    }

    /// The constant of an enumeration that names the key size, in bits or in bytes.
    fn key_name(&self, parameter: &Parameter) -> String {
        let bits = self.key_bits();
        let bytes = self.recipe.algorithm.key_bytes.unwrap_or(16).to_string();
        let known = constants(self.scanned, &parameter.base, &parameter.base);
        let says = |part: &str| known.into_iter().flatten().any(|name| name.contains(part));
        match says(&bits) {
            true => self.constant(parameter, &bits),
            false => self.constant(parameter, &bytes),
        }
    }

    /// The constant of an enumeration whose name holds a part.
    fn constant(&self, parameter: &Parameter, part: &str) -> String {
        let constants = constants(self.scanned, &parameter.base, &parameter.base);
        let found = constants.into_iter().flatten();
        let mut found = found.filter(|name| name.to_lowercase().contains(part));
        found
            .next()
            .map_or_else(|| format!("({})0", parameter.base), Clone::clone)
    }

    fn direction(&self, parameter: &Parameter, purpose: Purpose) -> String {
        self.constant(parameter, if goes_back(purpose) { "dec" } else { "enc" })
    }

    /// A buffer as the type that the parameter has; `uint8_t` is `unsigned char`.
    pub(super) fn buffer(&self, parameter: &Parameter, of: &Shape, name: &str) -> String {
        let same = ["uint8_t", "unsigned char", "void", "byte"];
        let base = written(self.scanned, parameter);
        let plain = parameter.pointers == 1 && same.contains(&base.as_str());
        match of {
            _ if plain => name.to_owned(),
            // A matrix: the compiler accepts `void *` in C only.
            Shape::Bytes { .. } | Shape::Words if parameter.pointers == 2 => match &parameter.array
            {
                Some(columns) if self.cpp => format!("({base} (*)[{columns}]){name}"),
                _ if self.cpp => format!("any_pointer{{{name}}}"),
                _ => format!("(void *){name}"),
            },
            // The name of a type that is itself a pointer or an array.
            Shape::Bytes { .. } if parameter.pointers == 0 => format!("(void *){name}"),
            _ => format!("({base} *){name}"),
        }
    }
}

/// True for an operation that gives the plaintext back.
fn goes_back(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Decrypt | Purpose::Open)
}
