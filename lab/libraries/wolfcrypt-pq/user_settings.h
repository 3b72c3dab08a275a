/*
 * wolfCrypt for the lab: one scheme in an image, and nothing of a platform but memory.
 * The library's functions for keys in DER are compiled and not linked, so asn.c is not among the sources.
 */
#ifndef LAB_USER_SETTINGS_H
#define LAB_USER_SETTINGS_H

#include "wolfcrypt_settings.h"

#define NO_AES
#define NO_AES_CBC
#define NO_RSA
#define WOLFSSL_NO_ASM
/* Named by the functions for DER alone. The other arithmetic needs an int of 32 bits. */
#if LAB_SLHDSA && __SIZEOF_INT__ == 2
#define USE_INTEGER_HEAP_MATH
#elif LAB_SLHDSA
#define WOLFSSL_SP_MATH_ALL
#else
#define NO_BIG_INT
#define NO_ASN
#endif

#define WOLFSSL_SHA512
#define WOLFSSL_SHA3
#define WOLFSSL_SHAKE128
#define WOLFSSL_SHAKE256

/* The set of the image alone, so that buffers have its sizes. */
#if LAB_SLHDSA
#define WOLFSSL_HAVE_SLHDSA
#define WOLFSSL_SLHDSA_PARAM_NO_192
#define WOLFSSL_SLHDSA_PARAM_NO_256
#define WOLFSSL_SLHDSA_PARAM_NO_SHA2_192
#define WOLFSSL_SLHDSA_PARAM_NO_SHA2_256
#if LAB_SLHDSA_SHA2
#define WOLFSSL_SLHDSA_SHA2
#define WOLFSSL_SLHDSA_NO_SHAKE
#endif
#if LAB_SLHDSA_FAST
#define WOLFSSL_SLHDSA_PARAM_NO_SMALL
#define WOLFSSL_SLHDSA_PARAM_NO_SHA2_SMALL
#else
#define WOLFSSL_SLHDSA_PARAM_NO_FAST
#define WOLFSSL_SLHDSA_PARAM_NO_SHA2_FAST
#endif
#endif

#if LAB_MLKEM
#define WOLFSSL_HAVE_MLKEM
#if LAB_MLKEM != 512
#define WOLFSSL_NO_ML_KEM_512
#endif
#if LAB_MLKEM != 768
#define WOLFSSL_NO_ML_KEM_768
#endif
#if LAB_MLKEM != 1024
#define WOLFSSL_NO_ML_KEM_1024
#endif
#endif

#if LAB_MLDSA
#define WOLFSSL_HAVE_MLDSA
#define WOLFSSL_MLDSA_NO_ASN1
#if LAB_MLDSA != 44
#define WOLFSSL_NO_ML_DSA_44
#endif
#if LAB_MLDSA != 65
#define WOLFSSL_NO_ML_DSA_65
#endif
#if LAB_MLDSA != 87
#define WOLFSSL_NO_ML_DSA_87
#endif
#endif

#if LAB_FALCON
#define WOLFSSL_EXPERIMENTAL_SETTINGS
#define HAVE_FALCON
#endif

/* A device verifies what a signer with a state signs. */
#if LAB_LMS
#define WOLFSSL_HAVE_LMS
#define WOLFSSL_LMS_VERIFY_ONLY
#endif
#if LAB_XMSS
#define WOLFSSL_HAVE_XMSS
#define WOLFSSL_XMSS_VERIFY_ONLY
#define WOLFSSL_XMSS_MAX_HEIGHT 10
#define WOLFSSL_WC_XMSS_NO_SHA512
#define WOLFSSL_WC_XMSS_NO_SHAKE128
#define WOLFSSL_WC_XMSS_NO_SHAKE256
#endif

#if LAB_SMALL
#define WOLFSSL_MLKEM_SMALL
#define WOLFSSL_MLKEM_MAKEKEY_SMALL_MEM
#define WOLFSSL_MLKEM_ENCAPSULATE_SMALL_MEM
#define WOLFSSL_MLDSA_SMALL
#define WOLFSSL_MLDSA_MAKE_KEY_SMALL_MEM
#define WOLFSSL_MLDSA_SIGN_SMALL_MEM
#define WOLFSSL_MLDSA_VERIFY_SMALL_MEM
/* Without it, ML-DSA-87 verifies two signatures of Wycheproof wrongly, those with the flag MissingReduction. */
#define WOLFSSL_MLDSA_SMALL_MEM_POLY64
#define WOLFSSL_WC_LMS_SMALL
#define WOLFSSL_WC_XMSS_SMALL
#define WOLFSSL_FALCON_SIGN_SMALL_MEM
#define WOLFSSL_WC_SLHDSA_SMALL
#define WOLFSSL_WC_SLHDSA_SMALL_MEM
#define USE_SLOW_SHA256
#define WOLFSSL_SHA3_SMALL
#endif

#endif
