/* Ascon-AEAD128 [SP800-232] with the interface of NIST's competition. */
#define CRYPTO_KEYBYTES 16
#define CRYPTO_NSECBYTES 0
#define CRYPTO_NPUBBYTES 16
#define CRYPTO_ABYTES 16
#define CRYPTO_ALGNAME "Ascon-AEAD128"
