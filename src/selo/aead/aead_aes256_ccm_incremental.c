/* AES-256-CCM [SP800-38C] in pieces, in the table of algorithms. */
#define NAME aes256_ccm
#define FUNCTION(suffix) selo_aes256_ccm##suffix
#define AEAD selo_aead_aes256_ccm
#define TABLE selo_aead_aes256_ccm_pieces
#define TAKES_SIZE
#include "aead_table_incremental.inc"
