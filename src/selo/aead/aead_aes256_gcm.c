/* AES-256-GCM [SP800-38D] in the table of algorithms. */
#define NAME aes256_gcm
#define FUNCTION(suffix) selo_aes256_gcm##suffix
#define TABLE selo_aead_aes256_gcm
#define KEY_SIZE 32
#define NONCE_SIZE 12
#include "aead_table.inc"
