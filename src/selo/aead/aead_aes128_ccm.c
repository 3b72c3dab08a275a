/* AES-128-CCM [SP800-38C] in the table of algorithms. */
#define NAME aes128_ccm
#define FUNCTION(suffix) selo_aes128_ccm##suffix
#define TABLE selo_aead_aes128_ccm
#define KEY_SIZE 16
#define NONCE_SIZE 13
#include "aead_table.inc"
