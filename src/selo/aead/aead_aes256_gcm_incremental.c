/* AES-256-GCM [SP800-38D] in pieces, in the table of algorithms. */
#define NAME aes256_gcm
#define FUNCTION(suffix) selo_aes256_gcm##suffix
#define AEAD selo_aead_aes256_gcm
#define TABLE selo_aead_aes256_gcm_pieces
#include "aead_table_incremental.inc"
