/* AES-192-CCM [SP800-38C] in the table of algorithms. */
#define NAME aes192_ccm
#define FUNCTION(suffix) selo_aes192_ccm##suffix
#define TABLE selo_aead_aes192_ccm
#define KEY_SIZE 24
#define NONCE_SIZE 13
#include "aead_table.inc"
