/* HMAC with BLAKE2s [FIPS198-1]. */
#define HMAC_NAME(f) selo_hmac_blake2s_##f
#define HMAC_STATE selo_hmac_blake2s
#define HASH_START selo_blake2s_start
#define HASH_UPDATE selo_blake2s_update
#define HASH_FINISH selo_blake2s_finish
#define HASH_DIGEST 32

#include "hmac_body.inc"
