/* RustCrypto's ML-KEM in the lab, of the crate ml-kem. */
#if AGENT_ALGORITHM_ML_KEM_512
#define RUST_KEM(what) rc_kem_512_##what
#elif AGENT_ALGORITHM_ML_KEM_768
#define RUST_KEM(what) rc_kem_768_##what
#else
#define RUST_KEM(what) rc_kem_1024_##what
#endif

#include "glue_rust_kem.h"
