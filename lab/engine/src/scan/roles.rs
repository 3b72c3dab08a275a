//! What a function of a library is for, and what each of its parameters takes, judged by
//! names and types. Whatever is not clear is said to be unclear.

use super::declarations::{Function, Parameter};

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    SetUp,
    SetIv,
    Encrypt,
    Decrypt,
    /// The same function both ways.
    Crypt,
    Hash,
}

/// How blocks are joined, as the name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    Block,
    Cbc,
    Ctr,
    /// One that the lab has no interface for, or that needs a hand.
    Other,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The structure with the expanded key.
    Context,
    /// The expanded key as an array of words.
    Schedule,
    Key,
    Iv,
    In,
    Out,
    /// One buffer, changed in place.
    InOut,
    /// Bytes of the message.
    Size,
    KeyBytes,
    KeyBits,
    Unclear,
}

/// A function with what was made out of it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub function: Function,
    pub role: Role,
    pub mode: Mode,
    pub takes: Vec<Takes>,
    /// Bits of the key that the name, or an array, speaks of.
    pub key_bits: Option<u32>,
    /// It does one direction only, of a set-up.
    pub direction: Option<Role>,
}

impl Entry {
    /// Whether a call can be written.
    pub fn is_clear(&self) -> bool {
        !self.takes.contains(&Takes::Unclear)
    }

    pub fn takes(&self, what: Takes) -> bool {
        self.takes.contains(&what)
    }
}

/// The words of a name: `AES_CBC_encryptBuffer256` is aes, cbc, encrypt, buffer, 256.
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    let characters: Vec<char> = name.chars().collect();
    for (at, &character) in characters.iter().enumerate() {
        let next_is_lower = characters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let begins = !before.is_ascii_alphanumeric()
            || before.is_ascii_digit() != character.is_ascii_digit()
            || (character.is_ascii_uppercase() && (before.is_ascii_lowercase() || next_is_lower));
        if character.is_ascii_alphanumeric() {
            match words.last_mut() {
                Some(word) if !begins => word.push(character.to_ascii_lowercase()),
                _ => words.push(character.to_ascii_lowercase().to_string()),
            }
        }
        before = character;
    }
    words
}

pub(super) fn any(words: &[String], of: &[&str]) -> bool {
    words.iter().any(|word| of.contains(&word.as_str()))
}

/// What a function is, if it looks like a part of a cipher or a hash.
pub fn entry(function: &Function, array: &dyn Fn(&str) -> Option<u32>) -> Option<Entry> {
    let own = words(&function.name);
    let of_class = function.class.as_deref().map(words).unwrap_or_default();
    let all: Vec<String> = of_class.iter().chain(&own).cloned().collect();
    let decrypts = any(
        &own,
        &[
            "decrypt",
            "dec",
            "decipher",
            "decryption",
            "inv",
            "decryptor",
        ],
    );
    let encrypts = any(
        &own,
        &[
            "encrypt",
            "enc",
            "encipher",
            "encryption",
            "cipher",
            "encryptor",
        ],
    );
    let crypts = any(&own, &["xcrypt", "crypt", "xor", "process"]);
    let sets = any(
        &own,
        &[
            "set",
            "init",
            "setup",
            "expand",
            "expansion",
            "schedule",
            "begin",
            "start",
            "prepare",
            "ini",
        ],
    ) || any(&own, &["keysetup", "setkey", "rijndael"])
        && any(&own, &["key", "setup", "setkey"]);
    let bytes = |parameter: &Parameter| is_bytes(parameter);
    let is_key = |parameter: &Parameter| {
        bytes(parameter) && any(&words(&parameter.name), &["key", "k", "userkey", "secret"])
    };
    let is_iv = |parameter: &Parameter| {
        bytes(parameter)
            && any(
                &words(&parameter.name),
                &["iv", "nonce", "counter", "ctr", "vector", "ivec"],
            )
    };
    let has_key = function.parameters.iter().any(is_key)
        // A parameter without a name says less; the function's name then decides.
        || (any(&own, &["key", "setkey", "keysetup"]) && function.parameters.iter().any(bytes));
    let hashes = any(
        &all,
        &["sha", "md", "hash", "digest", "blake", "keccak", "hmac"],
    ) || {
        let whole: String = all.concat();
        whole.contains("sha2") || whole.contains("sha3") || whole.contains("sha5")
    };
    let role = if sets && has_key {
        Role::SetUp
    } else if any(&own, &["set", "init"]) && function.parameters.iter().any(is_iv) {
        Role::SetIv
    } else if decrypts {
        Role::Decrypt
    } else if encrypts {
        Role::Encrypt
    } else if crypts {
        Role::Crypt
    } else if any(&own, &["key", "keysetup", "setkey"]) && has_key {
        Role::SetUp
    } else if hashes {
        Role::Hash
    } else {
        return None;
    };
    let has_pointer = function
        .parameters
        .iter()
        .any(|parameter| parameter.pointers > 0);
    // An object of a hash is started without being given anything.
    let starts = role == Role::Hash && function.class.is_some() && function.parameters.is_empty();
    if !has_pointer && !starts {
        return None;
    }
    let mode = if any(&all, &["cbc"]) {
        Mode::Cbc
    } else if any(&all, &["ctr", "counter"]) {
        Mode::Ctr
    } else if any(
        &all,
        &[
            "cfb", "ofb", "gcm", "ccm", "eax", "xts", "cmac", "mac", "wrap", "siv", "ocb",
        ],
    ) {
        Mode::Other
    } else {
        Mode::Block
    };
    let takes = assign(function, role, &is_key, &is_iv);
    let mut named = all.iter().filter_map(|word| word.parse::<u32>().ok());
    let named = named.rfind(|bits| [128, 192, 256].contains(bits));
    let of_array = function
        .parameters
        .iter()
        .zip(&takes)
        .find_map(|(parameter, takes)| {
            let text = parameter.array.as_deref()?;
            let bytes = text.parse().ok().or_else(|| array(text))?;
            (*takes == Takes::Key && [16, 24, 32].contains(&bytes)).then_some(bytes * 8)
        });
    let direction = match (role, decrypts, encrypts) {
        (Role::SetUp, true, false) => Some(Role::Decrypt),
        (Role::SetUp, false, true) => Some(Role::Encrypt),
        _ => None,
    };
    Some(Entry {
        function: function.clone(),
        role,
        mode,
        takes,
        key_bits: named.or(of_array),
        direction,
    })
}

/// A pointer to bytes, or to what is taken for them.
pub(super) fn is_bytes(parameter: &Parameter) -> bool {
    const BYTES: [&str; 14] = [
        "uint8_t",
        "unsigned char",
        "char",
        "void",
        "byte",
        "u8",
        "uint8",
        "BYTE",
        "UCHAR",
        "uchar",
        "u_int8_t",
        "Byte",
        "std::uint8_t",
        "UINT8",
    ];
    parameter.pointers == 1 && !parameter.is_odd && BYTES.contains(&parameter.base.as_str())
}

pub(super) fn is_words(parameter: &Parameter) -> bool {
    const WORDS: [&str; 8] = [
        "uint32_t",
        "uint64_t",
        "u32",
        "WORD",
        "unsigned int",
        "unsigned long",
        "uint16_t",
        "word32",
    ];
    parameter.pointers == 1 && WORDS.contains(&parameter.base.as_str())
}

pub(super) fn is_number(parameter: &Parameter) -> bool {
    const NUMBERS: [&str; 15] = [
        "size_t",
        "int",
        "unsigned int",
        "unsigned",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "long",
        "unsigned long",
        "byte",
        "short",
        "int32_t",
        "int16_t",
        "unsigned short",
    ];
    parameter.pointers == 0 && !parameter.is_odd && NUMBERS.contains(&parameter.base.as_str())
}

fn assign(
    function: &Function,
    role: Role,
    is_key: &dyn Fn(&Parameter) -> bool,
    is_iv: &dyn Fn(&Parameter) -> bool,
) -> Vec<Takes> {
    let parameters = &function.parameters;
    // Bytes that are neither key nor IV: the message and what becomes of it.
    let others: Vec<&Parameter> = parameters
        .iter()
        .filter(|p| is_bytes(p) && !is_key(p) && !is_iv(p))
        .collect();
    let constants = others.iter().filter(|p| p.is_const).count();
    let keys = parameters.iter().filter(|p| is_key(p)).count();
    let takes = parameters.iter().map(|parameter| {
        let name = words(&parameter.name);
        if is_iv(parameter) {
            return Takes::Iv;
        }
        if is_key(parameter) {
            return Takes::Key;
        }
        if is_bytes(parameter) {
            return match (role, others.len()) {
                (Role::SetUp, 1) if keys == 0 => Takes::Key,
                (Role::SetUp | Role::SetIv, _) => Takes::Unclear,
                // A context of no type is not for guessing.
                _ if any(&name, &["ctx", "context"]) => Takes::Unclear,
                // Nothing else takes the result: const or not, it is changed in place.
                (_, 1) => Takes::InOut,
                (_, 2) if constants == 1 && parameter.is_const => Takes::In,
                (_, 2) if constants == 1 => Takes::Out,
                (_, 2) => by_name(&name, role),
                _ => Takes::Unclear,
            };
        }
        if is_words(parameter) {
            let schedule = any(
                &name,
                &["w", "rk", "key", "keys", "schedule", "skey", "subkeys", "k"],
            );
            return if schedule {
                Takes::Schedule
            } else {
                Takes::Unclear
            };
        }
        if is_number(parameter) {
            let of_key = any(&name, &["key", "keylen", "klen", "keysize", "keybits"]);
            return match role {
                _ if any(&name, &["bits", "keybits"]) => Takes::KeyBits,
                Role::SetUp if any(&name, &["len", "length", "size", "bytes", "n"]) || of_key => {
                    Takes::KeyBytes
                }
                _ if of_key => Takes::KeyBytes,
                Role::Encrypt | Role::Decrypt | Role::Crypt | Role::Hash
                    if any(
                        &name,
                        &[
                            "len", "length", "size", "n", "bytes", "nbytes", "count", "sz",
                            "datalen", "num",
                        ],
                    ) =>
                {
                    Takes::Size
                }
                _ => Takes::Unclear,
            };
        }
        let is_structure =
            parameter.pointers == 1 && !parameter.is_odd && !parameter.base.is_empty();
        if is_structure || (parameter.pointers == 0 && parameter.base.ends_with("_ctx_t")) {
            return Takes::Context;
        }
        Takes::Unclear
    });
    takes.collect()
}

/// Two buffers of which neither is const.
fn by_name(name: &[String], role: Role) -> Takes {
    let (from, to): (&[&str], &[&str]) = match role {
        Role::Decrypt => (
            &["cipher", "ciphertext", "ct", "encrypted"],
            &["plain", "plaintext", "pt", "decrypted"],
        ),
        _ => (
            &["plain", "plaintext", "pt"],
            &["cipher", "ciphertext", "ct", "encrypted"],
        ),
    };
    if any(name, &["in", "input", "src", "source", "msg", "message"]) || any(name, from) {
        Takes::In
    } else if any(
        name,
        &["out", "output", "dst", "dest", "result", "digest", "hash"],
    ) || any(name, to)
    {
        Takes::Out
    } else {
        Takes::Unclear
    }
}

#[cfg(test)]
mod tests {
    use super::super::declarations::read;
    use super::*;

    fn one(text: &str) -> Entry {
        let found = read(text.as_bytes());
        entry(&found.functions[0], &|name| {
            (name == "KEYLEN").then_some(24)
        })
        .expect("an entry")
    }

    #[test]
    fn names_are_cut_into_words() {
        assert_eq!(
            words("AES_CBC_encryptBuffer256"),
            ["aes", "cbc", "encrypt", "buffer", "256"]
        );
        assert_eq!(words("setKey"), ["set", "key"]);
        assert_eq!(words("aes128_enc"), ["aes", "128", "enc"]);
        assert!(words("__").is_empty());
    }

    #[test]
    fn shapes_are_told_apart() {
        use Takes::*;
        let cases: &[(&str, Role, Mode, &[Takes])] = &[
            (
                "void f_encrypt(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]);",
                Role::Encrypt,
                Mode::Block,
                &[Key, In, Out],
            ),
            (
                "void AES_init_ctx(struct AES_ctx* ctx, const uint8_t* key);",
                Role::SetUp,
                Mode::Block,
                &[Context, Key],
            ),
            (
                "void AES_init_ctx_iv(struct AES_ctx* ctx, const uint8_t* key, const uint8_t* iv);",
                Role::SetUp,
                Mode::Block,
                &[Context, Key, Iv],
            ),
            (
                "void AES_ctx_set_iv(struct AES_ctx* ctx, const uint8_t* iv);",
                Role::SetIv,
                Mode::Block,
                &[Context, Iv],
            ),
            (
                "void AES_CBC_encrypt_buffer(struct AES_ctx* ctx, uint8_t* buf, uint32_t length);",
                Role::Encrypt,
                Mode::Cbc,
                &[Context, InOut, Size],
            ),
            (
                "void AES_CTR_xcrypt_buffer(struct AES_ctx* ctx, uint8_t* buf, uint32_t length);",
                Role::Crypt,
                Mode::Ctr,
                &[Context, InOut, Size],
            ),
            (
                "void aes_key_setup(const BYTE key[], WORD w[], int keysize);",
                Role::SetUp,
                Mode::Block,
                &[Key, Schedule, KeyBytes],
            ),
            (
                "int rijndaelKeySetupEnc(uint32_t *rk, const uint8_t *key, int keyBits);",
                Role::SetUp,
                Mode::Block,
                &[Schedule, Key, KeyBits],
            ),
            (
                "void aes128_dec_single(const uint8_t* key, void* data);",
                Role::Decrypt,
                Mode::Block,
                &[Key, InOut],
            ),
            (
                "void aes_decrypt(aes_t *a, uint8_t *plain, uint8_t *cipher);",
                Role::Decrypt,
                Mode::Block,
                &[Context, Out, In],
            ),
            (
                "void enc(void *ctx, uint8_t *a, uint8_t *b, int mode);",
                Role::Encrypt,
                Mode::Block,
                &[Unclear, Unclear, Unclear, Unclear],
            ),
        ];
        for (text, role, mode, takes) in cases {
            let entry = one(text);
            assert_eq!((entry.role, entry.mode), (*role, *mode), "{text}");
            assert_eq!(&entry.takes, takes, "{text}");
        }
    }

    #[test]
    fn key_sizes_are_read_from_names_and_arrays() {
        assert_eq!(
            one("void aes256_init(ctx *c, uint8_t *key);").key_bits,
            Some(256)
        );
        assert_eq!(
            one("void init(ctx *c, const uint8_t key[KEYLEN]);").key_bits,
            Some(192)
        );
        assert_eq!(one("void init(ctx *c, const uint8_t *key);").key_bits, None);
        let unrelated = read(b"int main(void); void print(char *text);");
        assert!(
            unrelated
                .functions
                .iter()
                .all(|f| entry(f, &|_| None).is_none())
        );
    }
}
