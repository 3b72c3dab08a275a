// SPDX-License-Identifier: GPL-3.0-or-later
// A core's RTL with memory and a host, advanced cycle by cycle.
//
// Memory takes one cycle. Bytes and messages go to the host by semihosting, so that the images of
// lab/firmware/ports/riscv32 run here and on QEMU. The cores have no debugger to take the trap:
// its first instruction is replaced by a jump to a few instructions below the image, which pass
// the call to two addresses at the end of the address space.
#ifndef SELO_RTL_MACHINE_H
#define SELO_RTL_MACHINE_H

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vselo_core.h"
#include "image.h"

// The measurements between two marks.
struct Span {
    uint64_t cycles, instructions, stack;
};

// Receives what the program does.
struct Host {
    virtual ~Host() = default;
    virtual void on_bytes(const uint8_t *bytes, size_t size) = 0;
    virtual void on_text(const std::string &text) = 0;
    virtual void on_span(const Span &span) = 0;
    // The program waits for bytes. Returns the bytes; none end the simulation.
    virtual std::vector<uint8_t> wait() = 0;
};

// The program stopped: `reason` of the runner protocol, and the words after `fault` if any.
struct Stopped {
    std::string reason, fault;
};

class Machine {
public:
    Machine(const Image &image, Host &host);

    // Runs until the host has nothing more to send or the program stops, and returns the reason.
    Stopped run();
    // Starts the core again. Memory keeps its contents.
    void reset();

    uint64_t limit = 0; // cycles from one wait to the next, 0: none
    uint64_t cycle() const { return now; }
    uint32_t pc() const { return last_pc; }

private:
    void load();
    void step();
    void retire();
    void mark(int value);
    uint8_t *ram(uint32_t address, uint32_t size);
    uint32_t fetch(uint32_t address);
    uint32_t read(uint32_t address);
    void write(uint32_t address, uint32_t value, unsigned enables);
    uint32_t call(uint32_t operation, uint32_t arguments);
    uint32_t read_bytes(uint32_t to, uint32_t size);
    void write_bytes(uint32_t file, uint32_t from, uint32_t size);
    [[noreturn]] void fault(const std::string &kind, uint32_t address);

    Image image;
    Host &host;
    VerilatedContext context;
    std::unique_ptr<Vselo_core> core;
    uint32_t base = 0; // address of the first byte of `memory`
    std::vector<uint8_t> memory;
    std::vector<uint8_t> waiting; // bytes from the host
    uint32_t argument = 0, answer = 0; // of the host call
    uint64_t now = 0, waited_at = 0, instructions = 0;
    uint32_t last_pc = 0, sp = 0;
    // The open span.
    bool open = false;
    uint64_t begun = 0, begun_instructions = 0;
    uint32_t begun_sp = 0, lowest_sp = 0;
};

#endif
