// SPDX-License-Identifier: GPL-3.0-or-later
#include "image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

enum : uint32_t { HEAP_ROOM = 1024 * 1024 }; // lab/firmware/ports/bare/sections.ld

struct Reader {
    std::vector<char> bytes;

    const char *at(size_t offset, size_t size) const
    {
        if (offset > bytes.size() || size > bytes.size() - offset)
            throw std::runtime_error("the image is cut off");
        return bytes.data() + offset;
    }

    template <class T> T get(size_t offset) const
    {
        T value;
        std::memcpy(&value, at(offset, sizeof value), sizeof value);
        return value;
    }

    std::string text(size_t offset) const
    {
        const char *start = at(offset, 1);
        return std::string(start, strnlen(start, bytes.data() + bytes.size() - start));
    }
};

void read_segments(const Reader &file, const Elf32_Ehdr &head, Image &image)
{
    for (int i = 0; i < head.e_phnum; i++) {
        auto program = file.get<Elf32_Phdr>(head.e_phoff + i * sizeof(Elf32_Phdr));
        if (program.p_type != PT_LOAD || program.p_filesz == 0)
            continue;
        const char *start = file.at(program.p_offset, program.p_filesz);
        image.segments.push_back({program.p_paddr, {start, start + program.p_filesz}});
    }
    if (image.segments.empty())
        throw std::runtime_error("the image has nothing to load");
    image.code_start = UINT32_MAX;
    for (const Segment &segment : image.segments) {
        image.code_start = std::min(image.code_start, segment.address);
        image.code_end = std::max(image.code_end, uint32_t(segment.address + segment.bytes.size()));
    }
}

void read_symbols(const Reader &file, const Elf32_Shdr &table, const Elf32_Shdr &names, Image &image)
{
    uint32_t data_start = 0, heap_end = 0;
    for (size_t at = 0; at + sizeof(Elf32_Sym) <= table.sh_size; at += sizeof(Elf32_Sym)) {
        auto symbol = file.get<Elf32_Sym>(table.sh_offset + at);
        std::string name = file.text(names.sh_offset + symbol.st_name);
        if (name == "core_stack_low")
            image.stack_low = symbol.st_value;
        else if (name == "core_data_start")
            data_start = symbol.st_value;
        else if (name == "port_heap_end")
            heap_end = symbol.st_value;
    }
    image.ram_end = std::max(data_start + HEAP_ROOM, heap_end);
}

} // namespace

Image read_image(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        throw std::runtime_error("cannot read " + path);
    Reader file{{std::istreambuf_iterator<char>(stream), {}}};
    auto head = file.get<Elf32_Ehdr>(0);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS32 ||
        head.e_machine != EM_RISCV)
        throw std::runtime_error(path + " is not an ELF file for a 32-bit RISC-V core");

    Image image;
    image.entry = head.e_entry;
    read_segments(file, head, image);
    auto section = [&](size_t i) { return file.get<Elf32_Shdr>(head.e_shoff + i * sizeof(Elf32_Shdr)); };
    Elf32_Shdr names = section(head.e_shstrndx);
    for (size_t i = 0; i < head.e_shnum; i++) {
        Elf32_Shdr header = section(i);
        std::string name = file.text(names.sh_offset + header.sh_name);
        if (header.sh_type == SHT_SYMTAB)
            read_symbols(file, header, section(header.sh_link), image);
        int mark = name == ".selo.mark1" ? 1 : name == ".selo.mark2" ? 2 : 0;
        if (mark == 0)
            continue;
        for (size_t at = 0; at + 4 <= header.sh_size; at += 4)
            image.marks[file.get<uint32_t>(header.sh_offset + at)] = mark;
    }
    if (image.stack_low == 0)
        throw std::runtime_error(path + " has no symbol core_stack_low");
    return image;
}
