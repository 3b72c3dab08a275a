//! The words of a name.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
