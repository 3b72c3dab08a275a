// SPDX-License-Identifier: GPL-3.0-or-later
// A runner (docs/contributor/runner-protocol.md): executes an image on the RTL of a core. The lines
// go over standard input and output.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>

#include "machine.h"

namespace {

const char USAGE[] =
    "usage: selo-rtl-CORE --mcu NAME --frequency HERTZ [--limit CYCLES] [--static-end ADDRESS] IMAGE.elf\n"
    "\n"
    "  --mcu         the board's name of the chip; it is only repeated\n"
    "  --frequency   its clock; it is only repeated, because the memory's speed is in cycles\n"
    "  --limit       most cycles from one wait for input to the next (default 0: no limit)\n"
    "  --static-end  accepted for other runners; the image says where the stack ends\n";

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The host sent `reset`.
struct Reset {};

uint64_t number(const std::string &text)
{
    size_t used = 0;
    uint64_t value = 0;
    try {
        value = std::stoull(text, &used, 0);
    } catch (const std::exception &) {
    }
    if (used == 0 || used != text.size())
        throw Failure("'" + text + "' is not a number");
    return value;
}

std::vector<uint8_t> from_hex(const std::string &text)
{
    auto digit = [&](char c) -> int {
        size_t at = std::string("0123456789abcdef").find(c);
        if (at == std::string::npos)
            throw Failure("'" + text + "' is not hexadecimal");
        return int(at);
    };
    if (text.empty() || text.size() % 2 != 0)
        throw Failure("'" + text + "' is not hexadecimal");
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < text.size(); i += 2)
        bytes.push_back(uint8_t(digit(text[i]) << 4 | digit(text[i + 1])));
    return bytes;
}

// The lab at the other end of the pipes.
class Lab : public Host {
public:
    Machine *machine = nullptr;
    std::string fault; // the words of a fault that the program reported itself

    void on_bytes(const uint8_t *bytes, size_t size) override
    {
        received.insert(received.end(), bytes, bytes + size);
    }

    void on_text(const std::string &text) override
    {
        if (text.rfind("fault ", 0) == 0)
            fault = text.substr(6, text.find('\n') - 6);
        else
            std::fputs(text.c_str(), stderr);
    }

    void on_span(const Span &span) override
    {
        flush();
        std::printf("span cycles=%" PRIu64 " slept=0 stack=%" PRIu64 " instructions=%" PRIu64 "\n",
                    span.cycles, span.stack, span.instructions);
    }

    std::vector<uint8_t> wait() override
    {
        flush();
        std::printf("idle cycle=%" PRIu64 "\n", machine->cycle());
        std::fflush(stdout);
        for (std::string line; std::getline(std::cin, line);) {
            size_t blank = line.find(' ');
            std::string word = line.substr(0, blank);
            std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
            if (word == "send")
                return from_hex(rest);
            if (word == "limit")
                machine->limit = number(rest);
            else if (word == "reset")
                throw Reset{};
            else if (word == "quit")
                return {};
            else
                throw Failure("unknown line '" + line + "'");
        }
        return {};
    }

    // Prints the bytes that the program has sent.
    void flush()
    {
        if (received.empty())
            return;
        std::fputs("recv ", stdout);
        for (uint8_t byte : received)
            std::printf("%02x", byte);
        std::putchar('\n');
        received.clear();
    }

private:
    std::vector<uint8_t> received;
};

// Runs the program to its end. Returns the exit code.
int serve(Machine &machine, Lab &lab)
{
    for (;;) {
        try {
            Stopped stopped = machine.run();
            lab.flush();
            std::string fault = lab.fault.empty() ? stopped.fault : lab.fault;
            if (!fault.empty()) {
                stopped.reason = "fault";
                std::printf("fault %s cycle=%" PRIu64 "\n", fault.c_str(), machine.cycle());
            }
            std::printf("stopped reason=%s pc=0x%08x cycle=%" PRIu64 "\n", stopped.reason.c_str(),
                        machine.pc(), machine.cycle());
            return stopped.reason == "quit" ? 0 : 3;
        } catch (const Reset &) {
            machine.reset();
        }
    }
}

int start(int count, char **words)
{
    std::map<std::string, std::string> options;
    std::string path;
    for (int i = 1; i < count; i++) {
        std::string word = words[i];
        if (word == "--help" || word == "--version") {
            std::printf("%s", word == "--help" ? USAGE : "selo-rtl-" SELO_CORE " " SELO_VERSION "\n");
            return 0;
        }
        if (word != "--mcu" && word != "--frequency" && word != "--limit" && word != "--static-end") {
            if (word.rfind("--", 0) == 0 || !path.empty())
                throw Failure("unexpected '" + word + "'");
            path = word;
        } else if (++i == count) {
            throw Failure(word + " needs a value");
        } else {
            options[word] = words[i];
        }
    }
    if (path.empty() || !options.count("--mcu") || !options.count("--frequency"))
        throw Failure("--mcu, --frequency and an image are needed");
    Image image = read_image(path);
    Lab lab;
    Machine machine(image, lab);
    lab.machine = &machine;
    machine.limit = options.count("--limit") ? number(options["--limit"]) : 0;
    std::printf("ready selo-rtl-%s %s mcu=%s frequency=%" PRIu64 " ramend=0x%08x flashend=0x%08x\n",
                SELO_CORE, SELO_VERSION, options["--mcu"].c_str(), number(options["--frequency"]),
                image.ram_end - 1, image.code_end - 1);
    return serve(machine, lab);
}

} // namespace

int main(int count, char **words)
{
    try {
        return start(count, words);
    } catch (const std::exception &error) {
        std::printf("error %s\n", error.what());
        return 2;
    }
}
