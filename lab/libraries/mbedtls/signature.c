/* Mbed TLS's ECDSA on P-256 in the lab, deterministic [RFC6979]. */
#include "random.h"

#include <mbedtls/ecdsa.h>
#include <string.h>

enum { PUBLIC_BYTES = 64 };

static mbedtls_ecp_keypair pair;
static mbedtls_mpi r, s;

static void lab_begin(void)
{
    mbedtls_ecp_keypair_free(&pair);
    mbedtls_ecp_keypair_init(&pair);
    mbedtls_ecp_group_load(&pair.grp, MBEDTLS_ECP_DP_SECP256R1);
}
#define GLUE_BEGIN() lab_begin()

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t point[1 + PUBLIC_BYTES];
    size_t size = 0;
    int failed = mbedtls_ecp_read_key(MBEDTLS_ECP_DP_SECP256R1, &pair, secret, 32);
    if (!failed)
        failed = mbedtls_ecp_mul(&pair.grp, &pair.Q, &pair.d, &pair.grp.G, lab_random, NULL);
    if (!failed)
        failed = mbedtls_ecp_point_write_binary(&pair.grp, &pair.Q, MBEDTLS_ECP_PF_UNCOMPRESSED,
                                                &size, point, sizeof point);
    memcpy(public_key, point + 1, PUBLIC_BYTES);
    return failed;
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    return mbedtls_ecp_read_key(MBEDTLS_ECP_DP_SECP256R1, &pair, secret, 32);
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    int failed = mbedtls_ecdsa_sign_det_ext(&pair.grp, &r, &s, &pair.d, message, size,
                                            MBEDTLS_MD_SHA256, lab_random, NULL);
    if (!failed)
        failed = mbedtls_mpi_write_binary(&r, signature, 32);
    if (!failed)
        failed = mbedtls_mpi_write_binary(&s, signature + 32, 32);
    return failed;
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    uint8_t point[1 + PUBLIC_BYTES];
    point[0] = 4;
    memcpy(point + 1, public_key, PUBLIC_BYTES);
    return mbedtls_ecp_point_read_binary(&pair.grp, &pair.Q, point, sizeof point)
           || mbedtls_mpi_read_binary(&r, signature, 32)
           || mbedtls_mpi_read_binary(&s, signature + 32, 32);
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    (void)signature;
    return mbedtls_ecdsa_verify(&pair.grp, message, size, &pair.Q, &r, &s);
}

#include "glue_signature.h"
