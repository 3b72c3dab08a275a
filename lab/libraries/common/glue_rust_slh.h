/*
 * SLH-DSA of a library in Rust, whose functions RUST_SIGN names (glue_rust_signature.h). A signature of the
 * small sets has 7,856 bytes, of the fast ones 17,088.
 */
#ifndef GLUE_RUST_SLH_H
#define GLUE_RUST_SLH_H

enum { PUBLIC_BYTES = 32, PRIVATE_BYTES = 64, SEED_BYTES = 48, RANDOM_BYTES = 16 };

#if AGENT_ALGORITHM_SLH_DSA_SHA2_128S || AGENT_ALGORITHM_SLH_DSA_SHAKE_128S                            \
    || AGENT_ALGORITHM_HASH_SLH_DSA_SHA2_128S_SHA_256
enum { SIGNATURE_BYTES = 7856 };
#else
enum { SIGNATURE_BYTES = 17088 };
#endif

#include "glue_rust_signature.h"

#endif
