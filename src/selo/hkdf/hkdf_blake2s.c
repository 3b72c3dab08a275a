/* HKDF with BLAKE2s [RFC5869]. */
#define HKDF selo_hkdf_blake2s
#define HMAC selo_hmac_blake2s
#define START selo_hmac_blake2s_start
#define UPDATE selo_hmac_blake2s_update
#define FINISH selo_hmac_blake2s_finish

#include "hkdf_body.inc"
