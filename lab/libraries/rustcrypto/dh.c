/* RustCrypto's ECDH on P-256 in the lab, and dalek's X25519. */
#include <stdint.h>

#if AGENT_ALGORITHM_X25519
enum { PUBLIC_BYTES = 32 };
#define lib_keygen rc_x25519_keygen
#define lib_shared rc_x25519_shared
#else
enum { PUBLIC_BYTES = 64 };
#define lib_keygen rc_p256_keygen
#define lib_shared rc_p256_shared
#endif

int lib_keygen(uint8_t *public_key, const uint8_t *secret);
int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer);

#include "glue_dh.h"
