/* AES-192-CCM [SP800-38C] in pieces, in the table of algorithms. */
#define NAME aes192_ccm
#define FUNCTION(suffix) selo_aes192_ccm##suffix
#define AEAD selo_aead_aes192_ccm
#define TABLE selo_aead_aes192_ccm_pieces
#define TAKES_SIZE
#include "aead_table_incremental.inc"
