//! The same hash and code as methods of a class are bound and conform.

use super::conforms;
use super::hashes::{HASH_HEADER, HASH_SOURCE, MAC_SOURCE};
use crate::common::Project;

/// The same as methods of a class, which takes the key again at the end, as Arduino's most used
/// hash library does.
const CLASS: &str = "
class SHA256 {
public:
    void reset();
    void update(const void *data, size_t len);
    void finalize(void *hash, size_t len);
    void resetHMAC(const void *key, size_t keyLen);
    void finalizeHMAC(const void *key, size_t keyLen, void *hash, size_t hashLen);
private:
    SHA256_CTX state;
};
";

const METHODS: &str = "
void SHA256::reset() { sha256_init(&state); }
void SHA256::update(const void *data, size_t len) { sha256_update(&state, (const uint8_t *)data, len); }
void SHA256::finalize(void *hash, size_t) { sha256_final(&state, (uint8_t *)hash); }
void SHA256::resetHMAC(const void *key, size_t keyLen)
{
    hmac_start(&state, (const uint8_t *)key, keyLen, 0x36);
}
void SHA256::finalizeHMAC(const void *key, size_t keyLen, void *hash, size_t)
{
    uint8_t digest[32];
    sha256_final(&state, digest);
    hmac_start(&state, (const uint8_t *)key, keyLen, 0x5c);
    sha256_update(&state, digest, 32);
    sha256_final(&state, (uint8_t *)hash);
}
";

#[test]
fn a_class_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    let folder = "elsewhere/classes";
    let (types, _) = HASH_HEADER.split_once("void ").expect("declarations");
    project.write("elsewhere/classes/SHA256.h", &[types, CLASS].concat());
    let source = |methods: &str| {
        let functions = [HASH_SOURCE, MAC_SOURCE].concat();
        let functions = functions.replace("\nvoid sha256", "\nstatic void sha256");
        [&functions.replace("sha256.h", "SHA256.h"), methods].concat()
    };
    project.write("elsewhere/classes/SHA256.cpp", &source(METHODS));
    let made = project.selo(&["lab", "new-library", folder]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    let both = ["hmac-sha-256", "sha-256"];
    conforms(&project, folder, &both, "yes");

    // A digest that ignores the message fails for both algorithms.
    let wrong = METHODS.replace(
        "sha256_update(&state, (const uint8_t *)data, len);",
        "(void)data; (void)len;",
    );
    project.write("elsewhere/classes/SHA256.cpp", &source(&wrong));
    conforms(&project, folder, &both, "no");
}
