/*
 * wolfSSL as a client of TLS 1.3 on a small device: the three suites and the two curves of
 * docs/researcher/exchange.md, certificates of ECDSA and RSA, numbers in portable C. Every target has these
 * settings, so two builds differ in the target only.
 */
#ifndef TLS_CLIENT_USER_SETTINGS_H
#define TLS_CLIENT_USER_SETTINGS_H

/* Platform: memory, randomness and the date (port.h). */
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_WRITEV
#define NO_MAIN_DRIVER
#define WOLFSSL_USER_IO
#define WOLFSSL_NO_SOCK
#define WOLFSSL_IGNORE_FILE_WARN
/* These cores fault on a word at an odd address, or read it slowly, and a session has many of them.
 * On Arm, wolfSSL asks the compiler. */
#if defined(__XTENSA__) || defined(__riscv)
#define WOLFSSL_USE_ALIGN
#endif
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG 8
extern int client_random(unsigned char *to, unsigned int size);
#define CUSTOM_RAND_GENERATE_SEED client_random
#include <time.h>
extern time_t client_time(time_t *unused);
#define XTIME(unused) client_time(unused)
/* gmtime() keeps its result in a thread variable, which a bare machine does not have. */
#define HAVE_GMTIME_R
#define XTIME_MS(unused) ((sword64)client_time(unused) * 1000)

/* TLS 1.3 only, as a client. */
#define WOLFSSL_TLS13
#define WOLFSSL_NO_TLS12
#define NO_OLD_TLS
#define NO_WOLFSSL_SERVER
#define NO_PSK
#ifdef CLIENT_RESUMES
/* wolfSSL compiles reading and writing of sessions only with the cache, so the smallest cache is
 * enabled: one session, not used. The nonces of rustls are longer than wolfSSL's default room. */
#define HAVE_SESSION_TICKET
#define HAVE_EXT_CACHE
#define MICRO_SESSION_CACHE
#define NO_CLIENT_CACHE
#define NO_SESSION_CACHE_REF
#define WOLFSSL_TICKET_NONCE_MALLOC
#else
#define NO_SESSION_CACHE
#endif
#define HAVE_TLS_EXTENSIONS
#define HAVE_SUPPORTED_CURVES
#define HAVE_SNI
#define HAVE_HKDF
#define WC_RSA_PSS
#define WOLFSSL_SMALL_STACK
#define NO_ERROR_STRINGS
#define NO_WOLFSSL_DIR

/* Cryptography. */
#define HAVE_AESGCM
#define GCM_TABLE_4BIT
#define HAVE_CHACHA
#define HAVE_POLY1305
#define WOLFSSL_SHA384
#define WOLFSSL_SHA512
#define HAVE_CURVE25519
#ifdef CLIENT_HYBRID
/* X25519MLKEM768 and no other hybrid. Matrix rows are computed when they are needed. */
#define WOLFSSL_HAVE_MLKEM
#define WOLFSSL_NO_ML_KEM_512
#define WOLFSSL_NO_ML_KEM_1024
#define WOLFSSL_PQC_HYBRIDS
#define WOLFSSL_TLS_NO_MLKEM_STANDALONE
#define WOLFSSL_MLKEM_NO_ENCAPSULATE
#define WOLFSSL_MLKEM_MAKEKEY_SMALL_MEM
#define WOLFSSL_MLKEM_ENCAPSULATE_SMALL_MEM
#define WOLFSSL_SHA3
#define WOLFSSL_SHAKE128
#define WOLFSSL_SHAKE256
#endif
#define HAVE_ECC
#define HAVE_ECC384
#define ECC_TIMING_RESISTANT
#define TFM_TIMING_RESISTANT
#define WC_RSA_BLINDING
#define WOLFSSL_RSA_VERIFY_ONLY
#define WOLFSSL_RSA_PUBLIC_ONLY
#define WOLFSSL_SP_MATH_ALL
#define WOLFSSL_SP_SMALL
#define SP_INT_BITS 4096
#define WOLFSSL_HAVE_SP_ECC
#define NO_DH
#define NO_DSA
#define NO_MD4
#define NO_MD5
#define NO_SHA
#define NO_DES3
#define NO_RC4
#define NO_PWDBASED
#define NO_PKCS8
#define NO_PKCS12

#endif
