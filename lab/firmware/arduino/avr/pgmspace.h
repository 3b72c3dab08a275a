/*
 * Constants in flash: AVR's own header there, and plain memory elsewhere.
 */
#ifdef __AVR__
#include_next <avr/pgmspace.h>
#elif !defined(SELO_LAB_PGMSPACE_H)
#define SELO_LAB_PGMSPACE_H

#include <stdint.h>
#include <string.h>

#define PROGMEM
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

#endif
