// SPDX-License-Identifier: GPL-3.0-or-later
// An image for a simulated core: the loadable bytes, marks and symbols of a 32-bit ELF file.
#ifndef SELO_RTL_IMAGE_H
#define SELO_RTL_IMAGE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct Segment {
    uint32_t address; // where it is stored, not where .data runs
    std::vector<uint8_t> bytes;
};

struct Image {
    uint32_t entry = 0;
    std::vector<Segment> segments;
    std::map<uint32_t, int> marks; // address of a mark's NOP (lab/firmware/ports/bare/mark.h): 1 or 2
    uint32_t stack_low = 0;        // the lowest address of the stack
    uint32_t ram_end = 0;          // the first address above all memory of the program
    uint32_t code_start = 0, code_end = 0;
};

// Reads the file. Throws std::runtime_error if it is no such image.
Image read_image(const std::string &path);

#endif
