/* ChaCha20-Poly1305 [RFC8439, 2.8] in the table of algorithms. */
#define NAME chacha20_poly1305
#define FUNCTION(suffix) selo_chacha20_poly1305##suffix
#define TABLE selo_aead_chacha20_poly1305
#define KEY_SIZE 32
#define NONCE_SIZE 12
#include "aead_table.inc"
