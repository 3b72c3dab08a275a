/*
 * Mbed TLS for the lab: the parts that an algorithm needs, and of the platform only memory. The
 * manifest defines LAB_<part>. The variant "small" has smaller tables and code, and is slower.
 */
#ifndef LAB_CONFIG_H
#define LAB_CONFIG_H

#if LAB_AES
#define MBEDTLS_AES_C
#define MBEDTLS_CIPHER_MODE_CBC
#define MBEDTLS_CIPHER_MODE_CTR
/* Tables computed at run time would take 8 KB of RAM. */
#define MBEDTLS_AES_ROM_TABLES
#endif
#if LAB_GCM
#define MBEDTLS_CIPHER_C
#define MBEDTLS_GCM_C
#endif
#if LAB_CCM
#define MBEDTLS_CIPHER_C
#define MBEDTLS_CCM_C
#endif
#if LAB_CHACHA
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
#endif
#if LAB_SHA256
#define MBEDTLS_SHA256_C
#endif
#if LAB_SHA512
#define MBEDTLS_SHA512_C
#endif
#if LAB_MD
#define MBEDTLS_MD_C
#endif
#if LAB_HKDF
#define MBEDTLS_HKDF_C
#endif
#if LAB_ECP
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_NIST_OPTIM
/* The random source for blinding is that of the glue. */
#define MBEDTLS_ECP_NO_INTERNAL_RNG
#endif
#if LAB_X25519
#define MBEDTLS_ECP_DP_CURVE25519_ENABLED
#define MBEDTLS_ECDH_C
#endif
#if LAB_P256
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECDH_C
#endif
#if LAB_ECDSA
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ECDSA_DETERMINISTIC
#define MBEDTLS_HMAC_DRBG_C
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#endif
#if LAB_RSA
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_GENPRIME
#define MBEDTLS_OID_C
#define MBEDTLS_PKCS1_V21
#define MBEDTLS_RSA_C
#define MBEDTLS_MPI_MAX_SIZE 256
#endif

#if LAB_SMALL
#define MBEDTLS_AES_FEWER_TABLES
#define MBEDTLS_SHA256_SMALLER
#define MBEDTLS_SHA512_SMALLER
#define MBEDTLS_ECP_WINDOW_SIZE 2
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 0
#define MBEDTLS_MPI_WINDOW_SIZE 1
#endif

#endif
