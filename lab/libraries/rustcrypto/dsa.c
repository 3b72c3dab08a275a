/* RustCrypto's ML-DSA in the lab, of the crate ml-dsa. */
#if AGENT_ALGORITHM_ML_DSA_44
#define RUST_SIGN(what) rc_dsa_44_##what
#elif AGENT_ALGORITHM_ML_DSA_65
#define RUST_SIGN(what) rc_dsa_65_##what
#else
#define RUST_SIGN(what) rc_dsa_87_##what
#endif

#include "glue_rust_ml_dsa.h"
