//! The spelling in which names are compared.

/// Letters and digits in lower case, by the names that this project uses.
pub(super) fn plain(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    let text: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    text.replace("rijndael", "aes").replace("keccak", "sha3")
}
