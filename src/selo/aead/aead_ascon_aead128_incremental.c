/* Ascon-AEAD128 [SP800-232, 4] in pieces, in the table of algorithms. */
#define NAME ascon_aead128
#define FUNCTION(suffix) selo_ascon_aead128##suffix
#define AEAD selo_aead_ascon_aead128
#define TABLE selo_aead_ascon_aead128_pieces
#include "aead_table_incremental.inc"
