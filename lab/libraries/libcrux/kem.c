/* ML-KEM of the crate libcrux-ml-kem in the lab. */
#if AGENT_ALGORITHM_ML_KEM_512
#define RUST_KEM(what) libcrux_512_##what
#elif AGENT_ALGORITHM_ML_KEM_768
#define RUST_KEM(what) libcrux_768_##what
#else
#define RUST_KEM(what) libcrux_1024_##what
#endif

#include "glue_rust_kem.h"
