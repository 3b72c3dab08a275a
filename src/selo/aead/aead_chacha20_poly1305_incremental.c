/* ChaCha20-Poly1305 [RFC8439, 2.8] in pieces, in the table of algorithms. */
#define NAME chacha20_poly1305
#define FUNCTION(suffix) selo_chacha20_poly1305##suffix
#define AEAD selo_aead_chacha20_poly1305
#define TABLE selo_aead_chacha20_poly1305_pieces
#include "aead_table_incremental.inc"
