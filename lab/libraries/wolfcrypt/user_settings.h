/*
 * wolfCrypt for the lab: its algorithms, and nothing of a platform but memory. What an image does
 * not call is not linked, so all of them share these settings, but for those of HMAC.
 */
#ifndef LAB_USER_SETTINGS_H
#define LAB_USER_SETTINGS_H

#include "wolfcrypt_settings.h"

#define NO_ASN

#define HAVE_AES_CBC
#define HAVE_AES_DECRYPT
#define HAVE_AES_ECB
#define HAVE_AESCCM
#define HAVE_AESGCM
#define WOLFSSL_AES_COUNTER
#define WOLFSSL_AES_DIRECT
#define WOLFSSL_MIN_AUTH_TAG_SZ 4
#define HAVE_CHACHA
#define HAVE_POLY1305
#define HAVE_BLAKE2S
#define HAVE_HKDF
#define HAVE_CURVE25519
#define WOLFSSL_ECDHX_SHARED_NOT_ZERO
#define HAVE_ECC
#define ECC_TIMING_RESISTANT
#define WOLFSSL_VALIDATE_ECC_IMPORT
#define WOLFSSL_ECDSA_DETERMINISTIC_K
#define WOLFSSL_KEY_GEN
#define WC_RSA_BLINDING
#define WOLFSSL_SP_MATH_ALL
#define SP_INT_BITS 4096

/* HMAC chooses among all hashes that there are when it runs, so an image with HMAC has its own
 * alone, and not the others linked into it. */
#if LAB_ONLY_SHA_512
#define NO_SHA256
#define WOLFSSL_SHA512
#elif LAB_ONLY_SHA3
#define NO_SHA256
#define WOLFSSL_SHA3
#elif !LAB_ONLY_SHA_256
#define WOLFSSL_SHA512
#define WOLFSSL_SHA3
#define HAVE_ED25519
#endif

#if LAB_SMALL
#define WOLFSSL_AES_SMALL_TABLES
#define GCM_SMALL
#define CURVE25519_SMALL
#define ED25519_SMALL
#define USE_SLOW_SHA256
#define USE_SLOW_SHA512
#define WOLFSSL_SP_SMALL
#else
#define GCM_TABLE_4BIT
#endif

#endif
