/*
 * Names of the library, made from the manifest's definitions. With SELO_CIPHER=selo_aes128_fast,
 * SELO_NAME(SELO_CIPHER, _setup) is selo_aes128_fast_setup.
 */
#ifndef SELO_GLUE_NAMES_H
#define SELO_GLUE_NAMES_H

#define SELO_NAME_(prefix, suffix) prefix##suffix
#define SELO_NAME(prefix, suffix) SELO_NAME_(prefix, suffix)

#endif
