/* SLH-DSA of the crate fips205 in the lab. */
#include "glue_message.h"

#if AGENT_ALGORITHM_SLH_DSA_SHA2_128S
#define RUST_SIGN(what) fips205_sha2_128s_##what
#elif AGENT_ALGORITHM_SLH_DSA_SHA2_128F
#define RUST_SIGN(what) fips205_sha2_128f_##what
#elif AGENT_ALGORITHM_HASH_SLH_DSA_SHA2_128S_SHA_256
#define RUST_SIGN(what) fips205_hash_sha2_128s_##what
#elif AGENT_ALGORITHM_HASH_SLH_DSA_SHA2_128F_SHA_256
#define RUST_SIGN(what) fips205_hash_sha2_128f_##what
#elif AGENT_ALGORITHM_SLH_DSA_SHAKE_128S
#define RUST_SIGN(what) fips205_shake_128s_##what
#else
#define RUST_SIGN(what) fips205_shake_128f_##what
#endif

#include "glue_rust_slh.h"
