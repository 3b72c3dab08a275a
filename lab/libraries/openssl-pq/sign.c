/* ML-DSA of OpenSSL in the lab. */
#if AGENT_ALGORITHM_ML_DSA_44
#define RUST_SIGN(what) openssl_44_##what
#elif AGENT_ALGORITHM_ML_DSA_65
#define RUST_SIGN(what) openssl_65_##what
#else
#define RUST_SIGN(what) openssl_87_##what
#endif

#include "glue_rust_ml_dsa.h"
