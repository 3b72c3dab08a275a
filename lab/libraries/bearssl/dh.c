/* BearSSL's key agreements in the lab: X25519 and ECDH on P-256. LAB_EC is an implementation. */
#include <bearssl_ec.h>
#include <string.h>

#if AGENT_ALGORITHM_X25519

enum { PUBLIC_BYTES = 32 };

/* The library's X25519 multiplier is big-endian, as with its other curves. m15 and m31 are
 * exceptions: theirs is little-endian [RFC7748, 5]. */
static void multiplier(uint8_t out[32], const uint8_t in[32])
{
#if AGENT_VARIANT_M15 || AGENT_VARIANT_M31
    memcpy(out, in, 32);
#else
    for (uint8_t i = 0; i < 32; i++)
        out[i] = in[31 - i];
#endif
}

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t scalar[32];
    multiplier(scalar, secret);
    return LAB_EC.mulgen(public_key, scalar, sizeof scalar, BR_EC_curve25519) != PUBLIC_BYTES;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    uint8_t scalar[32];
    multiplier(scalar, secret);
    memcpy(shared, peer, PUBLIC_BYTES);
    return !LAB_EC.mul(shared, PUBLIC_BYTES, scalar, sizeof scalar, BR_EC_curve25519);
}

#else

enum { PUBLIC_BYTES = 64 };

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t point[1 + PUBLIC_BYTES];
    size_t size = LAB_EC.mulgen(point, secret, 32, BR_EC_secp256r1);
    memcpy(public_key, point + 1, PUBLIC_BYTES);
    return size != sizeof point;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    uint8_t point[1 + PUBLIC_BYTES];
    point[0] = 4;
    memcpy(point + 1, peer, PUBLIC_BYTES);
    uint32_t done = LAB_EC.mul(point, sizeof point, secret, 32, BR_EC_secp256r1);
    memcpy(shared, point + 1, 32);
    return !done;
}

#endif

#include "glue_dh.h"
