/*
 * The choices of liboqs's build: all are left out, so that it takes portable C, and no OpenSSL, threads or
 * instructions of one CPU.
 */
#define OQS_VERSION_TEXT "0.13.0"
