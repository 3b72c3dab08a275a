//! The words of a parameter's name.

pub(super) fn says(name: &[String], of: &[&str]) -> bool {
    name.iter().any(|word| of.contains(&word.as_str()))
}

/// A part of a name, for names that run together: `keylen`.
pub(super) fn holds(name: &[String], part: &str) -> bool {
    name.concat().contains(part)
}

/// The cost of a slot by the parameter's name. `fits`: the name is one of the slot's. `known`: it is one
/// of any slot's.
pub(super) fn by_name(fits: bool, known: bool) -> u32 {
    match (fits, known) {
        (true, _) => 0,
        (false, true) => 3,
        (false, false) => 2,
    }
}

// The words are English, Portuguese and Spanish: authors of small libraries use their own language.
pub(super) const KEYS: [&str; 9] = [
    "chave",
    "clave",
    "key",
    "k",
    "userkey",
    "secret",
    "cipherkey",
    "userkey",
    "pw",
];
pub(super) const IVS: [&str; 11] = [
    "vetor", "cbuf", "iv", "nonce", "counter", "ctr", "vector", "ivec", "npub", "n", "nounce",
];
pub(super) const SCHEDULES: [&str; 19] = [
    "w",
    "rk",
    "ek",
    "dk",
    "rkey",
    "rkeys",
    "xkey",
    "expkey",
    "keyschedule",
    "keys",
    "schedule",
    "skey",
    "subkeys",
    "ks",
    "round",
    "roundkey",
    "roundkeys",
    "expanded",
    "expandedkey",
];
pub(super) const INS: [&str; 11] = [
    "entrada", "ibuf", "inbuf", "in", "input", "src", "source", "data", "from", "inp", "inblock",
];
pub(super) const OUTS: [&str; 20] = [
    "saida",
    "salida",
    "resultado",
    "obuf",
    "outbuf",
    "out",
    "output",
    "dst",
    "dest",
    "result",
    "digest",
    "hash",
    "md",
    "to",
    "outp",
    "res",
    "outblock",
    "buffer",
    "mac",
    "sha",
];
pub(super) const PLAIN: [&str; 13] = [
    "texto",
    "claro",
    "mensagem",
    "mensaje",
    "dados",
    "plain",
    "plaintext",
    "pt",
    "clear",
    "p",
    "m",
    "msg",
    "message",
];
pub(super) const CIPHER: [&str; 9] = [
    "cifrado",
    "cifrada",
    "criptografado",
    "cipher",
    "ciphertext",
    "ct",
    "encrypted",
    "crypt",
    "c",
];
pub(super) const TAGS: [&str; 5] = ["tag", "mac", "auth", "icv", "t"];
pub(super) const ADS: [&str; 8] = [
    "assoc",
    "ad",
    "aad",
    "adata",
    "add",
    "header",
    "associated",
    "hdr",
];
