/* HKDF with SHA3-256 [RFC5869]. */
#define HKDF selo_hkdf_sha3_256
#define HMAC selo_hmac_sha3_256
#define START selo_hmac_sha3_256_start
#define UPDATE selo_hmac_sha3_256_update
#define FINISH selo_hmac_sha3_256_finish

#include "hkdf_body.inc"
