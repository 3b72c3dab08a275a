/* RustCrypto's ECDSA on P-256 in the lab, which draws no random number [RFC6979], and dalek's Ed25519. */
#include <stdint.h>

#if AGENT_ALGORITHM_ED25519
enum { PUBLIC_BYTES = 32 };
#define RC_SIGNATURE(what) rc_ed25519_##what
#else
enum { PUBLIC_BYTES = 64 };
#define RC_SIGNATURE(what) rc_p256_##what
#endif

#define lib_keygen RC_SIGNATURE(keygen)
#define lib_prepare RC_SIGNATURE(prepare)
#define lib_sign RC_SIGNATURE(sign)
#define lib_prepare_verify RC_SIGNATURE(prepare_verify)
#define lib_verify RC_SIGNATURE(verify)

int lib_keygen(uint8_t *public_key, const uint8_t *secret);
int lib_prepare(const uint8_t *secret, const uint8_t *public_key);
int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size);
int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature);
int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size);

#include "glue_signature.h"
