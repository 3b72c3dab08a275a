/* AES-256-CCM [SP800-38C] in the table of algorithms. */
#define NAME aes256_ccm
#define FUNCTION(suffix) selo_aes256_ccm##suffix
#define TABLE selo_aead_aes256_ccm
#define KEY_SIZE 32
#define NONCE_SIZE 13
#include "aead_table.inc"
