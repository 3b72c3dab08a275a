/* AES-128-CCM [SP800-38C] in pieces, in the table of algorithms. */
#define NAME aes128_ccm
#define FUNCTION(suffix) selo_aes128_ccm##suffix
#define AEAD selo_aead_aes128_ccm
#define TABLE selo_aead_aes128_ccm_pieces
#define TAKES_SIZE
#include "aead_table_incremental.inc"
