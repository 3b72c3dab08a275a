/* AES-128-GCM [SP800-38D] in pieces, in the table of algorithms. */
#define NAME aes128_gcm
#define FUNCTION(suffix) selo_aes128_gcm##suffix
#define AEAD selo_aead_aes128_gcm
#define TABLE selo_aead_aes128_gcm_pieces
#include "aead_table_incremental.inc"
