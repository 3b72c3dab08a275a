/* HMAC with SHA-256 [FIPS198-1]. */
#define HMAC_NAME(f) selo_hmac_sha256_##f
#define HMAC_STATE selo_hmac_sha256
#define HASH_START selo_sha256_start
#define HASH_UPDATE selo_sha256_update
#define HASH_FINISH selo_sha256_finish
#define HASH_DIGEST 32

#include "hmac_body.inc"
