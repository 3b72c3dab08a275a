/* ML-KEM of OpenSSL in the lab. */
#if AGENT_ALGORITHM_ML_KEM_512
#define RUST_KEM(what) openssl_512_##what
#elif AGENT_ALGORITHM_ML_KEM_768
#define RUST_KEM(what) openssl_768_##what
#else
#define RUST_KEM(what) openssl_1024_##what
#endif

#include "glue_rust_kem.h"
