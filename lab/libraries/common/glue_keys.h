/*
 * Key set-up of a cipher with one key schedule for each direction: selects the schedules that an
 * image needs. Glue of a library with one schedule for both directions defines GLUE_ONE_SCHEDULE,
 * and no lib_set_up_decrypt.
 */
#ifndef GLUE_KEYS_H
#define GLUE_KEYS_H

#include "agent.h"

#if AGENT_FOOTPRINT
#define GLUE_ENCRYPTS FOOTPRINT_ENCRYPT
#define GLUE_DECRYPTS FOOTPRINT_DECRYPT
#else
#define GLUE_ENCRYPTS 1
#define GLUE_DECRYPTS 1
#endif

#ifdef GLUE_ONE_SCHEDULE
#define GLUE_SET_UP(raw) AGENT_MEASURE(lib_set_up_encrypt(raw))
#elif GLUE_DECRYPTS && !GLUE_ENCRYPTS
#define GLUE_SET_UP(raw) AGENT_MEASURE(lib_set_up_decrypt(raw))
#elif GLUE_DECRYPTS
#define GLUE_SET_UP(raw)                                                     \
    do {                                                                     \
        AGENT_MEASURE(lib_set_up_encrypt(raw));                              \
        lib_set_up_decrypt(raw);                                             \
    } while (0)
#else
#define GLUE_SET_UP(raw) AGENT_MEASURE(lib_set_up_encrypt(raw))
#endif

#endif
