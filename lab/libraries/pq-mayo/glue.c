/* MAYO of the crate pq-mayo in the lab. A salt is as long as the seed of a key pair. */
#include "glue_message.h"

#if AGENT_ALGORITHM_MAYO_1
#define RUST_SIGN(what) pq_mayo_1_##what
enum { PUBLIC_BYTES = 1420, PRIVATE_BYTES = 24, SIGNATURE_BYTES = 454 };
#elif AGENT_ALGORITHM_MAYO_2
#define RUST_SIGN(what) pq_mayo_2_##what
enum { PUBLIC_BYTES = 4912, PRIVATE_BYTES = 24, SIGNATURE_BYTES = 186 };
#elif AGENT_ALGORITHM_MAYO_3
#define RUST_SIGN(what) pq_mayo_3_##what
enum { PUBLIC_BYTES = 2986, PRIVATE_BYTES = 32, SIGNATURE_BYTES = 681 };
#else
#define RUST_SIGN(what) pq_mayo_5_##what
enum { PUBLIC_BYTES = 5554, PRIVATE_BYTES = 40, SIGNATURE_BYTES = 964 };
#endif
enum { SEED_BYTES = PRIVATE_BYTES, RANDOM_BYTES = PRIVATE_BYTES };

#define GLUE_NO_CONTEXT
#include "glue_rust_signature.h"
