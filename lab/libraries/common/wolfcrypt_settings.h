/*
 * What all images with wolfCrypt share: nothing of a platform but memory, and none of the algorithms
 * that the lab does not have.
 */
#ifndef LAB_WOLFCRYPT_SETTINGS_H
#define LAB_WOLFCRYPT_SETTINGS_H

#define WOLFCRYPT_ONLY
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_WRITEV
#define NO_MAIN_DRIVER
#define NO_ERROR_STRINGS
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
#define NO_DH
#define NO_DSA
#define NO_SIG_WRAPPER
#define WOLFSSL_IGNORE_FILE_WARN

#if __SIZEOF_INT__ == 2
#define WC_16BIT_CPU
#endif
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG 8

/* This core takes words at their own addresses only. wolfCrypt finds that out on ARM alone. */
#ifdef __XTENSA__
#define WOLFSSL_USE_ALIGN
#endif

/* The random source is the glue's: wolfCrypt's own hashes what a platform gives. */
#define WC_NO_HASHDRBG
extern int lab_random_block(unsigned char *out, unsigned int size);
#define CUSTOM_RAND_GENERATE_BLOCK lab_random_block

#endif
