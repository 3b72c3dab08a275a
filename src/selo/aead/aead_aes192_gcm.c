/* AES-192-GCM [SP800-38D] in the table of algorithms. */
#define NAME aes192_gcm
#define FUNCTION(suffix) selo_aes192_gcm##suffix
#define TABLE selo_aead_aes192_gcm
#define KEY_SIZE 24
#define NONCE_SIZE 12
#include "aead_table.inc"
