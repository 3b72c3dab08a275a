/*
 * ML-DSA of a library in Rust, whose functions RUST_SIGN names (glue_rust_signature.h).
 */
#ifndef GLUE_RUST_ML_DSA_H
#define GLUE_RUST_ML_DSA_H

enum { SEED_BYTES = 32, RANDOM_BYTES = 32 };

#if AGENT_ALGORITHM_ML_DSA_44
enum { PUBLIC_BYTES = 1312, PRIVATE_BYTES = 2560, SIGNATURE_BYTES = 2420 };
#elif AGENT_ALGORITHM_ML_DSA_65
enum { PUBLIC_BYTES = 1952, PRIVATE_BYTES = 4032, SIGNATURE_BYTES = 3309 };
#else
enum { PUBLIC_BYTES = 2592, PRIVATE_BYTES = 4896, SIGNATURE_BYTES = 4627 };
#endif

#include "glue_rust_signature.h"

#endif
