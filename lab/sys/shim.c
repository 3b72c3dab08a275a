/*
 * The C compiler's view of the public headers, for the test that compares it with the
 * declarations of src/ffi/declarations.rs: the size of each type, and the
 * number of each status.
 */
#include <stddef.h>

#include "selo.h"
#include "selo_mlkem.h"
#include "selo_speck.h"
#include "selo_unauthenticated.h"

#define SIZE_OF(name)                     \
    size_t selo_sys_size_of_##name(void); \
    size_t selo_sys_size_of_##name(void) { return sizeof(struct selo_##name); }

SIZE_OF(cipher)
SIZE_OF(inverse_cipher)
SIZE_OF(header)
SIZE_OF(chacha20_poly1305_key)
SIZE_OF(xchacha20_poly1305_key)
SIZE_OF(ascon_aead128_key)
SIZE_OF(chacha20_poly1305_sealing)
SIZE_OF(chacha20_poly1305_opening)
SIZE_OF(ascon_aead128_sealing)
SIZE_OF(ascon_aead128_opening)
SIZE_OF(gcm_sealing)
SIZE_OF(gcm_opening)
SIZE_OF(ccm_sealing)
SIZE_OF(ccm_opening)
SIZE_OF(aead)
SIZE_OF(aead_pieces)
SIZE_OF(aead_key)
SIZE_OF(aead_sealing)
SIZE_OF(aead_opening)
SIZE_OF(aes128_fast)
SIZE_OF(aes192_fast)
SIZE_OF(aes256_fast)
SIZE_OF(aes128_small)
SIZE_OF(aes192_small)
SIZE_OF(aes256_small)
SIZE_OF(aes128_tiny)
SIZE_OF(aes192_tiny)
SIZE_OF(aes256_tiny)
SIZE_OF(speck128_fast)
SIZE_OF(speck192_fast)
SIZE_OF(speck256_fast)
SIZE_OF(speck128_small)
SIZE_OF(speck192_small)
SIZE_OF(speck256_small)
SIZE_OF(speck128_tiny)
SIZE_OF(speck192_tiny)
SIZE_OF(speck256_tiny)
SIZE_OF(sha256)
SIZE_OF(sha512)
SIZE_OF(sha384)
SIZE_OF(sha3)
SIZE_OF(shake)
SIZE_OF(blake2s)
SIZE_OF(ascon_hash256)
SIZE_OF(hmac_sha256)
SIZE_OF(hmac_sha512)
SIZE_OF(hmac_sha3_256)
SIZE_OF(hmac_sha3_512)
SIZE_OF(hmac_blake2s)
SIZE_OF(hmac_ascon_hash256)
SIZE_OF(cmac)
SIZE_OF(mlkem512_public_key)
SIZE_OF(mlkem512_private_key)
SIZE_OF(mlkem512_ciphertext)
SIZE_OF(mlkem512_encapsulation)
SIZE_OF(mlkem768_public_key)
SIZE_OF(mlkem768_private_key)
SIZE_OF(mlkem768_ciphertext)
SIZE_OF(mlkem768_encapsulation)
SIZE_OF(mlkem1024_public_key)
SIZE_OF(mlkem1024_private_key)
SIZE_OF(mlkem1024_ciphertext)
SIZE_OF(mlkem1024_encapsulation)
SIZE_OF(mlkem_encapsulation)

size_t selo_sys_size_of_status(void);
size_t selo_sys_size_of_status(void) { return sizeof(enum selo_status); }

#define NUMBER_OF(name)                     \
    unsigned selo_sys_number_of_##name(void); \
    unsigned selo_sys_number_of_##name(void) { return SELO_##name; }

NUMBER_OF(OK)
NUMBER_OF(ERROR_ARGUMENT)
NUMBER_OF(ERROR_SPACE)
NUMBER_OF(ERROR_PADDING)
NUMBER_OF(ERROR_RANDOM)
NUMBER_OF(ERROR_KEY)
NUMBER_OF(ERROR_TAG)
NUMBER_OF(ERROR_STATE)
NUMBER_OF(ERROR_STORE)
NUMBER_OF(ERROR_SEND)

size_t selo_sys_cbc_size(size_t size);
size_t selo_sys_cbc_size(size_t size) { return SELO_CBC_SIZE(size); }

const char *selo_sys_version(void);
const char *selo_sys_version(void) { return SELO_VERSION; }
