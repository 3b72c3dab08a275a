/* HMAC with SHA-512 [FIPS198-1]. */
#define HMAC_NAME(f) selo_hmac_sha512_##f
#define HMAC_STATE selo_hmac_sha512
#define HASH_START selo_sha512_start
#define HASH_UPDATE selo_sha512_update
#define HASH_FINISH selo_sha512_finish
#define HASH_DIGEST 64

#include "hmac_body.inc"
