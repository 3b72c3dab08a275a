/* HKDF with SHA-256 [RFC5869]. */
#define HKDF selo_hkdf_sha256
#define HMAC selo_hmac_sha256
#define START selo_hmac_sha256_start
#define UPDATE selo_hmac_sha256_update
#define FINISH selo_hmac_sha256_finish

#include "hkdf_body.inc"
