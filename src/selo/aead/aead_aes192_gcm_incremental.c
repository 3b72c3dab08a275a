/* AES-192-GCM [SP800-38D] in pieces, in the table of algorithms. */
#define NAME aes192_gcm
#define FUNCTION(suffix) selo_aes192_gcm##suffix
#define AEAD selo_aead_aes192_gcm
#define TABLE selo_aead_aes192_gcm_pieces
#include "aead_table_incremental.inc"
