/*
 * Selo simavr runner: reads an AVR ELF image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_IMAGE_H
#define SELO_SIMAVR_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies the loadable segments of the ELF file `path` into flash[0..flash_size),
 * each at its load address. Returns 0, or -1 with a one-line reason in `reason`.
 */
int image_load(const char *path, uint8_t *flash, uint32_t flash_size,
               char *reason, size_t reason_size);

#endif
