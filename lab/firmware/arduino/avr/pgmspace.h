/*
 * Constants in flash: AVR's own header there, and plain memory elsewhere.
 */
#ifdef __AVR__
#include_next <avr/pgmspace.h>
#elif !defined(SELO_LAB_PGMSPACE_H)
#define SELO_LAB_PGMSPACE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PROGMEM
#define PGM_VOID_P const void *
#define PGM_P const char *
#define PSTR(text) (text)
#define pgm_read_byte(address) (*(const uint8_t *)(address))
#define pgm_read_byte_near(address) (*(const uint8_t *)(address))
#define pgm_read_word(address) (*(const uint16_t *)(address))
#define pgm_read_word_near(address) (*(const uint16_t *)(address))
#define pgm_read_dword(address) (*(const uint32_t *)(address))
#define pgm_read_dword_near(address) (*(const uint32_t *)(address))
#define memcpy_P memcpy
#define memcmp_P memcmp
#define strlen_P strlen
#define strcpy_P strcpy
#define strncpy_P strncpy
#define strcat_P strcat
#define strcmp_P strcmp
#define strncmp_P strncmp
#define printf_P printf
#define sprintf_P sprintf
#define snprintf_P snprintf
#define pgm_read_ptr(address) (*(void *const *)(address))
#define pgm_read_ptr_near(address) pgm_read_ptr(address)
#define pgm_read_float(address) (*(const float *)(address))

#endif
