/* HMAC with SHA3-512 [FIPS198-1]. The block is the rate of the sponge: 72 bytes [FIPS202, 7]. */
#define HMAC_NAME(f) selo_hmac_sha3_512_##f
#define HMAC_STATE selo_hmac_sha3_512
#define HASH_START selo_sha3_512_start
#define HASH_UPDATE selo_sha3_update
#define HASH_FINISH selo_sha3_finish
#define HASH_DIGEST 64

#include "hmac_body.inc"
