/* Ascon-AEAD128 [SP800-232, 4] in the table of algorithms. */
#define NAME ascon_aead128
#define FUNCTION(suffix) selo_ascon_aead128##suffix
#define TABLE selo_aead_ascon_aead128
#define KEY_SIZE 16
#define NONCE_SIZE 16
#include "aead_table.inc"
