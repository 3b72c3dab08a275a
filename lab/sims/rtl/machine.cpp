// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace {

// The program's window to the host: a store of the arguments' address, then of the operation; a load
// of the second gives the result.
enum : uint32_t { HOST_ARGUMENT = 0xFFFFFFF8, HOST_OPERATION = 0xFFFFFFFC };

enum : uint32_t { ROM_BYTES = 128, RESET_CYCLES = 8, STACK_POINTER = 2, GUARD_BYTES = 64 * 1024, LINE_BYTES = 64 };

// Semihosting: its operations and the number of the console's files.
enum : uint32_t { SYS_OPEN = 1, SYS_CLOSE = 2, SYS_WRITE = 5, SYS_READ = 6, SYS_EXIT_EXTENDED = 0x20 };
enum : uint32_t { CONSOLE_IN = 1, CONSOLE_OUT = 2, CONSOLE_ERRORS = 3, OPEN_WRITE = 4, OPEN_APPEND = 8 };
enum : uint32_t { NO_FILE = UINT32_MAX };

// slli zero, zero, 0x1f; ebreak; srai zero, zero, 7
const uint32_t TRAP[3] = {0x01f01013, 0x00100073, 0x40705013};

uint32_t jump(uint32_t from, uint32_t to)
{
    uint32_t by = to - from;
    return 0x6f | (by & 0xff000) | (by >> 11 & 1) << 20 | (by >> 1 & 0x3ff) << 21 | (by >> 20 & 1) << 31;
}

} // namespace

Machine::Machine(const Image &from, Host &to) : image(from), host(to)
{
    // Instructions of our own are below the image, where a jump reaches.
    base = (image.code_start & ~0xFFFu) - 0x1000;
    memory.resize(image.ram_end - base);
    // Some cores ask for a simulation's arguments (a generator of Ibex: its seed). There are none.
    context.commandArgs(0, static_cast<char **>(nullptr));
    core = std::make_unique<Vselo_core>(&context);
    load();
    reset();
}

// Puts the image into memory, and instructions of our own before it.
void Machine::load()
{
    for (const Segment &segment : image.segments) {
        size_t at = segment.address - base;
        if (segment.address < base || at + segment.bytes.size() > memory.size())
            throw std::runtime_error("the image has bytes outside its memory");
        std::copy(segment.bytes.begin(), segment.bytes.end(), memory.begin() + at);
    }
    auto put = [this](uint32_t address, uint32_t word) { std::memcpy(&memory[address - base], &word, 4); };
    auto word = [this](uint32_t address) {
        uint32_t value;
        std::memcpy(&value, &memory[address - base], 4);
        return value;
    };
    uint32_t start = base + 0x1000 - ROM_BYTES, stub = start + 4;
    put(start, jump(start, image.entry));
    for (uint32_t at = image.code_start; at + 12 <= image.code_end; at += 4) {
        if (word(at) != TRAP[0] || word(at + 4) != TRAP[1] || word(at + 8) != TRAP[2])
            continue;
        if (stub + 20 > base + 0x1000)
            throw std::runtime_error("the image has too many semihosting traps");
        put(at, jump(at, stub));
        put(stub, 0xfeb02c23);     // sw a1, -8(zero)
        put(stub + 4, 0xfea02e23); // sw a0, -4(zero)
        put(stub + 8, 0xffc02503); // lw a0, -4(zero)
        // The host's bytes are not in a data cache.
        put(stub + 12, SELO_DATA_CACHE ? 0x0000500f : 0x00000013);
        put(stub + 16, jump(stub + 16, at + 12));
        stub += 20;
    }
}

void Machine::reset()
{
    core->boot = base + 0x1000 - ROM_BYTES;
    // Parts of a core are reset by the edge, because their clock is off.
    core->reset = 0;
    core->eval();
    core->reset = 1;
    core->eval();
    for (uint32_t i = 0; i < RESET_CYCLES; i++) {
        core->clk = 0;
        core->eval();
        core->clk = 1;
        core->eval();
    }
    core->reset = 0;
    open = false;
    waiting.clear();
    waited_at = now;
}

Stopped Machine::run()
{
    try {
        for (;;)
            step();
    } catch (const Stopped &stopped) {
        return stopped;
    }
}

// One clock cycle. The core's requests do not depend on their answers, except for those of a bus
// that answers within the cycle; so the loop ends after one or two rounds.
void Machine::step()
{
    core->clk = 0;
    for (int round = 0; round < 8; round++) {
        uint32_t instruction = core->instr_req ? fetch(core->instr_addr) : core->instr_rdata;
        uint32_t data = core->data_req && !core->data_we ? read(core->data_addr) : core->data_rdata;
        bool same = round != 0 && instruction == core->instr_rdata && data == core->data_rdata;
        if (same)
            break;
        core->instr_rdata = instruction;
        core->data_rdata = data;
        core->eval();
    }
    if (core->retired)
        retire();
    if (core->data_req && core->data_we)
        write(core->data_addr, core->data_wdata, core->data_be);
    core->clk = 1;
    core->eval();
    now++;
    if (limit != 0 && now - waited_at > limit)
        throw Stopped{"cycle-limit", ""};
}

void Machine::retire()
{
    last_pc = core->retired_pc;
    instructions++;
    if (core->written == STACK_POINTER) {
        sp = core->written_value;
        lowest_sp = std::min(lowest_sp, sp);
    }
    auto found = image.marks.find(last_pc);
    if (found != image.marks.end())
        mark(found->second);
}

void Machine::mark(int value)
{
    if (open != (value == 2)) {
        char words[64];
        std::snprintf(words, sizeof words, "kind=mark-order pc=0x%08x address=0x%x", last_pc, value);
        throw Stopped{"fault", words};
    }
    if (open)
        host.on_span({now - begun, instructions - begun_instructions, begun_sp - lowest_sp});
    open = value == 1;
    begun = now;
    begun_instructions = instructions;
    begun_sp = lowest_sp = sp;
}

// ---- Memory ------------------------------------------------------------------------

// The bytes at an address of the program's memory, or null.
uint8_t *Machine::ram(uint32_t address, uint32_t size)
{
    uint64_t end = uint64_t(address) + size;
    // A cache reads whole lines, so also a little above the code.
    bool code = address >= base && end <= uint64_t(image.code_end) + LINE_BYTES;
    bool data = address >= image.stack_low && end <= image.ram_end;
    return code || data ? &memory[address - base] : nullptr;
}

// A core fetches ahead of the program, so an address outside memory is no fault.
uint32_t Machine::fetch(uint32_t address)
{
    address &= ~3u;
    uint32_t word = 0;
    if (address >= base && address - base + 4 <= memory.size())
        std::memcpy(&word, &memory[address - base], 4);
    return word;
}

uint32_t Machine::read(uint32_t address)
{
    address &= ~3u;
    if (address == HOST_OPERATION)
        return answer;
    const uint8_t *at = ram(address, 1);
    if (at == nullptr)
        fault("invalid-access", address);
    uint32_t word = 0;
    std::memcpy(&word, at, std::min<size_t>(4, &memory.back() - at + 1));
    return word;
}

void Machine::write(uint32_t address, uint32_t value, unsigned enables)
{
    address &= ~3u;
    if (address == HOST_ARGUMENT) {
        argument = value;
        return;
    }
    if (address == HOST_OPERATION) {
        answer = call(value, argument);
        return;
    }
    uint8_t *at = ram(address, 4);
    if (at == nullptr || address < image.code_end)
        fault("invalid-access", address);
    for (int i = 0; i < 4; i++)
        if (enables >> i & 1)
            at[i] = uint8_t(value >> 8 * i);
}

void Machine::fault(const std::string &kind, uint32_t address)
{
    bool below = address < image.stack_low && image.stack_low - address <= GUARD_BYTES;
    char words[96];
    std::snprintf(words, sizeof words, "kind=%s pc=0x%08x address=0x%08x",
                  below ? "stack-collision" : kind.c_str(), last_pc, address);
    throw Stopped{"fault", words};
}

// ---- Semihosting -------------------------------------------------------------------

uint32_t Machine::call(uint32_t operation, uint32_t arguments)
{
    auto of = [&](uint32_t i) {
        const uint8_t *at = ram(arguments + 4 * i, 4);
        if (at == nullptr)
            fault("invalid-access", arguments + 4 * i);
        uint32_t word;
        std::memcpy(&word, at, 4);
        return word;
    };
    switch (operation) {
    case SYS_OPEN: {
        const uint8_t *name = ram(of(0), 3);
        if (name == nullptr || of(2) != 3 || std::memcmp(name, ":tt", 3) != 0)
            return NO_FILE;
        return of(1) < OPEN_WRITE ? CONSOLE_IN : of(1) < OPEN_APPEND ? CONSOLE_OUT : CONSOLE_ERRORS;
    }
    case SYS_CLOSE:
        return 0;
    case SYS_READ:
        return of(2) - read_bytes(of(1), of(2));
    case SYS_WRITE:
        write_bytes(of(0), of(1), of(2));
        return 0;
    case SYS_EXIT_EXTENDED:
        throw Stopped{of(1) == 0 ? "exit" : "crash", ""};
    default:
        return NO_FILE;
    }
}

// Waits for bytes from the host if there are none. Returns how many it stored.
uint32_t Machine::read_bytes(uint32_t to, uint32_t size)
{
    if (waiting.empty()) {
        waiting = host.wait();
        waited_at = now;
        if (waiting.empty())
            throw Stopped{"quit", ""};
    }
    uint32_t count = std::min<size_t>(size, waiting.size());
    uint8_t *at = ram(to, count);
    if (at == nullptr)
        fault("invalid-access", to);
    std::copy_n(waiting.begin(), count, at);
    waiting.erase(waiting.begin(), waiting.begin() + count);
    return count;
}

void Machine::write_bytes(uint32_t file, uint32_t from, uint32_t size)
{
    const uint8_t *at = ram(from, size);
    if (at == nullptr)
        fault("invalid-access", from);
    if (file == CONSOLE_OUT)
        host.on_bytes(at, size);
    else
        host.on_text(std::string(at, at + size));
}
