/*
 * wolfCrypt for the lab: one scheme of signatures in an image, and nothing of a platform but memory.
 * The library's functions for keys in DER are compiled and not linked, so asn.c is not among the sources.
 */
#ifndef LAB_USER_SETTINGS_H
#define LAB_USER_SETTINGS_H

#define WOLFCRYPT_ONLY
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_WRITEV
#define NO_MAIN_DRIVER
#define NO_ERROR_STRINGS
#define NO_AES
#define NO_AES_CBC
#define NO_ASN_TIME
#define NO_CERTS
#define NO_CODING
#define NO_PWDBASED
#define NO_OLD_TLS
#define NO_MD4
#define NO_MD5
#define NO_SHA
#define NO_DES3
#define NO_RC4
#define NO_RSA
#define NO_DH
#define NO_DSA
#define NO_SIG_WRAPPER
#define WOLFSSL_IGNORE_FILE_WARN
#define WOLFSSL_NO_ASM
/* Named by the functions for DER alone. */
#if LAB_SLHDSA
#define WOLFSSL_SP_MATH_ALL
#else
#define NO_BIG_INT
#define NO_ASN
#endif

#if __SIZEOF_INT__ == 2
#define WC_16BIT_CPU
#endif
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG 8

/* The random source is the glue's. */
#define WC_NO_HASHDRBG
extern int lab_random_block(unsigned char *out, unsigned int size);
#define CUSTOM_RAND_GENERATE_BLOCK lab_random_block

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
#define WOLFSSL_WC_LMS_SMALL
#define WOLFSSL_WC_XMSS_SMALL
#define WOLFSSL_FALCON_SIGN_SMALL_MEM
#define WOLFSSL_WC_SLHDSA_SMALL
#define WOLFSSL_WC_SLHDSA_SMALL_MEM
#define USE_SLOW_SHA256
#define WOLFSSL_SHA3_SMALL
#endif

#endif
