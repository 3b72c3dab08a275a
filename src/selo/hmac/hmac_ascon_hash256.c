/* HMAC with Ascon-Hash256 [FIPS198-1]. Its block has 32 bytes, for the reason in selo.h. */
#define HMAC_NAME(f) selo_hmac_ascon_hash256_##f
#define HMAC_STATE selo_hmac_ascon_hash256
#define HASH_START selo_ascon_hash256_start
#define HASH_UPDATE selo_ascon_hash256_update
#define HASH_FINISH selo_ascon_hash256_finish
#define HASH_DIGEST 32

#include "hmac_body.inc"
