/* HKDF with Ascon-Hash256 [RFC5869]. */
#define HKDF selo_hkdf_ascon_hash256
#define HMAC selo_hmac_ascon_hash256
#define START selo_hmac_ascon_hash256_start
#define UPDATE selo_hmac_ascon_hash256_update
#define FINISH selo_hmac_ascon_hash256_finish

#include "hkdf_body.inc"
