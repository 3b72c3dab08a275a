/* SLH-DSA of OpenSSL in the lab. */
#include "glue_message.h"

#if AGENT_ALGORITHM_SLH_DSA_SHA2_128S
#define RUST_SIGN(what) openssl_sha2_128s_##what
#elif AGENT_ALGORITHM_SLH_DSA_SHA2_128F
#define RUST_SIGN(what) openssl_sha2_128f_##what
#elif AGENT_ALGORITHM_SLH_DSA_SHAKE_128S
#define RUST_SIGN(what) openssl_shake_128s_##what
#else
#define RUST_SIGN(what) openssl_shake_128f_##what
#endif

#include "glue_rust_slh.h"
