/*
 * Selo simavr runner: reads an AVR ELF image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It only uses program headers. The file content of each PT_LOAD segment, at its physical
 * address, is what a programmer would burn. Every offset is checked, so that a damaged file
 * gives an error message instead of a crash. simavr's own loader is not used, because it
 * aborts on an image that is too large.
 */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ELF_HEADER_BYTES = 52,
    ELF_PROGRAM_HEADER_BYTES = 32,
    ELF_MACHINE_AVR = 83,
    ELF_SEGMENT_LOAD = 1,
    /* avr-gcc links RAM at 0x800000, EEPROM at 0x810000 and fuses above; these are not flash. */
    FIRST_ADDRESS_BEYOND_FLASH = 0x800000
};

static uint32_t u16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    uint8_t *content = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used == room) {
            room = room ? room * 2 : 65536;
            uint8_t *larger = realloc(content, room);
            if (!larger)
                break;
            content = larger;
        }
        size_t got = fread(content + used, 1, room - used, file);
        used += got;
        if (got == 0)
            break;
    }
    int failed = ferror(file);
    fclose(file);
    if (failed) {
        free(content);
        return NULL;
    }
    *size = used;
    return content;
}

static int load_segments(const uint8_t *elf, size_t size, uint8_t *flash, uint32_t flash_size,
                         char *reason, size_t reason_size)
{
    static const uint8_t magic[7] = {0x7f, 'E', 'L', 'F', 1 /* 32 bits */, 1 /* little-endian */, 1};
    if (size < ELF_HEADER_BYTES || memcmp(elf, magic, sizeof magic) != 0
        || u16(elf + 18) != ELF_MACHINE_AVR) {
        snprintf(reason, reason_size, "not an AVR ELF image");
        return -1;
    }
    uint64_t table = u32(elf + 28), entry_size = u16(elf + 42), entries = u16(elf + 44);
    if (entry_size < ELF_PROGRAM_HEADER_BYTES || table + entries * entry_size > size) {
        snprintf(reason, reason_size, "the ELF image is truncated");
        return -1;
    }
    uint32_t loaded = 0;
    for (uint64_t i = 0; i < entries; i++) {
        const uint8_t *header = elf + table + i * entry_size;
        uint64_t offset = u32(header + 4), address = u32(header + 12), bytes = u32(header + 16);
        if (u32(header) != ELF_SEGMENT_LOAD || bytes == 0 || address >= FIRST_ADDRESS_BEYOND_FLASH)
            continue;
        if (offset + bytes > size) {
            snprintf(reason, reason_size, "the ELF image is truncated");
            return -1;
        }
        if (address + bytes > flash_size) {
            snprintf(reason, reason_size, "the image reaches to 0x%llx but the chip has %lu bytes of flash",
                     (unsigned long long)(address + bytes), (unsigned long)flash_size);
            return -1;
        }
        memcpy(flash + address, elf + offset, bytes);
        loaded++;
    }
    if (loaded == 0) {
        snprintf(reason, reason_size, "the ELF image has no flash content");
        return -1;
    }
    return 0;
}

int image_load(const char *path, uint8_t *flash, uint32_t flash_size,
               char *reason, size_t reason_size)
{
    size_t size = 0;
    uint8_t *elf = read_file(path, &size);
    if (!elf) {
        snprintf(reason, reason_size, "cannot read the file");
        return -1;
    }
    int result = load_segments(elf, size, flash, flash_size, reason, reason_size);
    free(elf);
    return result;
}
