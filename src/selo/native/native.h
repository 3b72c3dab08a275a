/*
 * Which kernels are in assembly: one line each. Read by C and by the assembler, so there
 * is nothing here but macros.
 *
 * Each can be set on the command line: SELO_NATIVE_AVR=0 keeps all of it in C,
 * SELO_NATIVE_AES=0 only AES. They are on wherever their instructions exist.
 */
#ifndef SELO_NATIVE_NATIVE_H
#define SELO_NATIVE_NATIVE_H

/* mul, movw, lpm Rd, Z and 32 registers. Tables are read by lpm, as C reads them (pgmspace.h):
 * on a chip with more than 64 KB of flash the linker places them where it reaches. */
#ifndef SELO_NATIVE_AVR
#if defined(__AVR_HAVE_MUL__) && defined(__AVR_HAVE_LPMX__) && !defined(__AVR_TINY__) && \
    !defined(__AVR_XMEGA__)
#define SELO_NATIVE_AVR 1
#else
#define SELO_NATIVE_AVR 0
#endif
#endif

#ifndef SELO_NATIVE_AES
#define SELO_NATIVE_AES SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_BLAKE2S
#define SELO_NATIVE_BLAKE2S SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_CHACHA20
#define SELO_NATIVE_CHACHA20 SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_POLY1305
#define SELO_NATIVE_POLY1305 SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_SPECK
#define SELO_NATIVE_SPECK SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_ASCON
#define SELO_NATIVE_ASCON SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_GHASH
#define SELO_NATIVE_GHASH SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_KECCAK
#define SELO_NATIVE_KECCAK SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_SHA256
#define SELO_NATIVE_SHA256 SELO_NATIVE_AVR
#endif
#ifndef SELO_NATIVE_SHA512
#define SELO_NATIVE_SHA512 SELO_NATIVE_AVR
#endif

/* 1 where flash is scarcer than time: a smaller kernel, which is slower. */
#ifndef SELO_KECCAK_SMALL
#define SELO_KECCAK_SMALL 0
#endif
#ifndef SELO_SHA256_SMALL
#define SELO_SHA256_SMALL 0
#endif
#ifndef SELO_SHA512_SMALL
#define SELO_SHA512_SMALL 0
#endif

#ifndef SELO_X25519_SMALL /* these three: x25519/x25519_base.h */
#define SELO_X25519_SMALL 0
#endif
#ifndef SELO_X25519_TABLE
#define SELO_X25519_TABLE !SELO_X25519_SMALL
#endif
#ifndef SELO_X25519_TEETH
#define SELO_X25519_TEETH 5
#endif
#ifndef SELO_NATIVE_X25519
#define SELO_NATIVE_X25519 SELO_NATIVE_AVR
#endif

#endif
