/* AES-128-GCM [SP800-38D] in the table of algorithms. */
#define NAME aes128_gcm
#define FUNCTION(suffix) selo_aes128_gcm##suffix
#define TABLE selo_aead_aes128_gcm
#define KEY_SIZE 16
#define NONCE_SIZE 12
#include "aead_table.inc"
