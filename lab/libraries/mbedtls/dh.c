/* Mbed TLS's key agreements in the lab: X25519 and ECDH on P-256. */
#include "random.h"

#include <mbedtls/ecdh.h>
#include <string.h>

#if AGENT_ALGORITHM_X25519
enum { PUBLIC_BYTES = 32, LAB_PREFIX = 0 };
#define LAB_CURVE MBEDTLS_ECP_DP_CURVE25519
#else
enum { PUBLIC_BYTES = 64, LAB_PREFIX = 1 };
#define LAB_CURVE MBEDTLS_ECP_DP_SECP256R1
#endif

static mbedtls_ecp_keypair pair;

static void lab_begin(void)
{
    mbedtls_ecp_keypair_free(&pair);
    mbedtls_ecp_keypair_init(&pair);
    mbedtls_ecp_group_load(&pair.grp, LAB_CURVE);
}
#define GLUE_BEGIN() lab_begin()

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t point[LAB_PREFIX + PUBLIC_BYTES];
    size_t size = 0;
    int failed = mbedtls_ecp_read_key(LAB_CURVE, &pair, secret, 32);
    if (!failed)
        failed = mbedtls_ecp_mul(&pair.grp, &pair.Q, &pair.d, &pair.grp.G, lab_random, NULL);
    if (!failed)
        failed = mbedtls_ecp_point_write_binary(&pair.grp, &pair.Q, MBEDTLS_ECP_PF_UNCOMPRESSED,
                                                &size, point, sizeof point);
    memcpy(public_key, point + LAB_PREFIX, PUBLIC_BYTES);
    return failed;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    uint8_t point[LAB_PREFIX + PUBLIC_BYTES];
    point[0] = 4; /* uncompressed; overwritten where there is no prefix */
    memcpy(point + LAB_PREFIX, peer, PUBLIC_BYTES);
    mbedtls_mpi z;
    mbedtls_mpi_init(&z);
    int failed = mbedtls_ecp_read_key(LAB_CURVE, &pair, secret, 32);
    if (!failed)
        failed = mbedtls_ecp_point_read_binary(&pair.grp, &pair.Q, point, sizeof point);
    if (!failed)
        failed = mbedtls_ecdh_compute_shared(&pair.grp, &z, &pair.Q, &pair.d, lab_random, NULL);
    if (!failed)
        failed = LAB_PREFIX ? mbedtls_mpi_write_binary(&z, shared, 32)
                            : mbedtls_mpi_write_binary_le(&z, shared, 32);
    mbedtls_mpi_free(&z);
    return failed;
}

#include "glue_dh.h"
