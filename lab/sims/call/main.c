/*
 * Selo call runner: calls single functions of an AVR image on a simulated chip, and
 * checks that they follow the C ABI.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * usage: selo-call [--mcu MCU] IMAGE
 *                             commands on standard input, answers on standard output.
 *                             MCU: atmega328p (default) or atmega2560
 *
 *   put ADDRESS HEX           writes bytes to RAM; no answer
 *   call FUNCTION ARG,ARG... ADDRESS:SIZE...
 *                             FUNCTION is a byte address in flash, the ARGs are 16-bit
 *                             arguments. The pieces of RAM after them are those that
 *                             the function may write.
 *                             Answer: `done CYCLES STACK R24 HEX...` with the return
 *                             value's low byte and each piece, or `fault REASON`
 *   profile                   cycles of each flash word since the start, as
 *                             `at ADDRESS CYCLES` lines, then `end`
 *
 * All numbers except CYCLES and STACK are hexadecimal. CYCLES counts from the first
 * instruction of the function to the end of its RET, without the CALL.
 *
 * Before a call, r1 is 0, the argument registers have the arguments, and all other
 * registers and T are random; interrupts are enabled. RAM without data from `put` is
 * random too. After the call, r2-r17, r28, r29, SP and the I bit must be as before, and
 * r1 must be 0. Only the pieces and the stack below the return address may have changed.
 * The random numbers are the same in every run.
 */
#include "image.h"

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RETURN_TO = 0x7ffe,       /* byte address; no image reaches so far */
    MOST_CYCLES = 100000000,
    MOST_PIECES = 8,
    LINE = 8192
};

/* What differs between the chips. */
static const struct chip {
    const char *mcu;
    unsigned ram_first;
    unsigned stack_top;  /* the return address lies right above */
    unsigned stack_room; /* bytes below it that may change */
} chips[] = {
    {"atmega328p", 0x100, 0x8f0, 0x580},
    {"atmega2560", 0x200, 0x21f0, 0x1000},
    {NULL, 0, 0, 0},
};
static const struct chip *chip = &chips[0];

static avr_t *avr;
static uint8_t before[0x10000];
static uint64_t spent[0x4000];
static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint8_t random_byte(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint8_t)(random_state >> 32);
}

static void put(char *line)
{
    char *hex;
    unsigned long address = strtoul(line, &hex, 16);
    unsigned byte;
    while (*hex == ' ')
        hex++;
    for (; address <= avr->ramend && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        avr->data[address++] = (uint8_t)byte;
}

static void set_stack_pointer(unsigned value)
{
    avr->data[R_SPL] = (uint8_t)value;
    avr->data[R_SPH] = (uint8_t)(value >> 8);
}

static unsigned stack_pointer(void) { return (unsigned)(avr->data[R_SPL] | avr->data[R_SPH] << 8); }

struct piece { unsigned long address, size; };

static int may_change(unsigned long address, const struct piece *pieces, int count)
{
    if (address < chip->stack_top && address >= chip->stack_top - chip->stack_room)
        return 1; /* room for the stack, without pieces and canaries */
    for (int i = 0; i < count; i++)
        if (address >= pieces[i].address && address < pieces[i].address + pieces[i].size)
            return 1;
    return 0;
}

static void call(char *line)
{
    struct piece pieces[MOST_PIECES];
    int count = 0;
    unsigned long function = strtoul(line, &line, 16);

    for (int r = 0; r < 32; r++)
        avr->data[r] = random_byte();
    avr->data[1] = 0;
    while (*line == ' ')
        line++;
    for (int r = 24; *line != ' ' && *line != '\0' && *line != '\n'; r -= 2) {
        unsigned long argument = strtoul(line, &line, 16);
        avr->data[r] = (uint8_t)argument;
        avr->data[r + 1] = (uint8_t)(argument >> 8);
        if (*line == ',')
            line++;
    }
    while (count < MOST_PIECES) {
        char *end;
        pieces[count].address = strtoul(line, &end, 16);
        if (end == line || *end != ':')
            break;
        pieces[count].size = strtoul(end + 1, &line, 16);
        count++;
    }

    set_stack_pointer(chip->stack_top - 1);
    /* A return address is pushed low byte first, so its high byte is at the lower address. */
    for (unsigned i = 0; i < avr->address_size; i++)
        avr->data[chip->stack_top + i] = (uint8_t)(RETURN_TO / 2 >> 8 * (avr->address_size - 1u - i));
    memset(avr->sreg, 0, sizeof avr->sreg);
    avr->sreg[S_I] = 1;
    avr->sreg[S_T] = random_byte() & 1;
    memcpy(before, avr->data, avr->ramend + 1u);

    const uint64_t begin = avr->cycle;
    const unsigned after = chip->stack_top - 1 + avr->address_size;
    unsigned lowest = chip->stack_top - 1;
    avr->pc = (avr_flashaddr_t)function;
    avr->state = cpu_Running;
    while (avr->pc != RETURN_TO) {
        const avr_flashaddr_t pc = avr->pc;
        const uint64_t cycle = avr->cycle;
        const int interruptible = avr->sreg[S_I];
        avr->run_cycle_count = 1; /* one instruction, then back */
        avr->pc = avr_run_one(avr);
        spent[pc / 2 & 0x3fff] += avr->cycle - cycle;
        /* A function moves the stack pointer with interrupts off until its second half is written, and turns
         * them on one instruction before. In between it is no stack pointer. */
        if (interruptible && avr->sreg[S_I] && stack_pointer() < lowest)
            lowest = stack_pointer();
        if (avr->state != cpu_Running || avr->cycle - begin > MOST_CYCLES) {
            printf("fault stopped or lost at %lx\n", (unsigned long)pc);
            return;
        }
    }
    if (stack_pointer() != after) {
        printf("fault the stack pointer is off by %d\n", (int)stack_pointer() - (int)after);
        return;
    }
    if (avr->data[1] != 0) {
        printf("fault r1 is %u\n", avr->data[1]);
        return;
    }
    if (!avr->sreg[S_I]) {
        printf("fault interrupts are off\n");
        return;
    }
    for (int r = 2; r < 30; r++) {
        if ((r < 18 || r > 27) && avr->data[r] != before[r]) {
            printf("fault r%d has changed\n", r);
            return;
        }
    }
    for (unsigned long address = chip->ram_first; address <= avr->ramend; address++) {
        if (avr->data[address] != before[address] && !may_change(address, pieces, count)) {
            printf("fault wrote to %lx\n", address);
            return;
        }
    }
    printf("done %llu %u %02x", (unsigned long long)(avr->cycle - begin), chip->stack_top - 1 - lowest,
           avr->data[24]);
    for (int i = 0; i < count; i++) {
        putchar(' ');
        for (unsigned long k = 0; k < pieces[i].size; k++)
            printf("%02x", avr->data[pieces[i].address + k]);
    }
    putchar('\n');
}

static void profile(void)
{
    for (unsigned word = 0; word < sizeof spent / sizeof spent[0]; word++)
        if (spent[word] != 0)
            printf("at %x %llu\n", word * 2, (unsigned long long)spent[word]);
    puts("end");
}

int main(int argc, char **argv)
{
    static char line[LINE];
    char reason[200];

    if (argc == 4 && strcmp(argv[1], "--mcu") == 0) {
        for (chip = chips; chip->mcu != NULL && strcmp(chip->mcu, argv[2]) != 0; chip++)
            ;
        argv += 2;
        argc -= 2;
    }
    avr = argc == 2 && chip->mcu != NULL ? avr_make_mcu_by_name(chip->mcu) : NULL;
    if (!avr) {
        fputs(argc == 2 ? "selo-call: no such MCU, or simavr does not know it\n"
                        : "usage: selo-call [--mcu MCU] IMAGE\n", stderr);
        return 2;
    }
    avr_init(avr);
    if (image_load(argv[1], avr->flash, avr->flashend + 1, reason, sizeof reason) != 0) {
        fprintf(stderr, "selo-call: %s: %s\n", argv[1], reason);
        return 2;
    }
    avr->codeend = avr->flashend;
    for (unsigned address = chip->ram_first; address <= avr->ramend; address++)
        avr->data[address] = random_byte();

    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "put ", 4) == 0) {
            put(line + 4);
        } else if (strncmp(line, "call ", 5) == 0) {
            call(line + 5);
        } else if (strncmp(line, "profile", 7) == 0) {
            profile();
        } else {
            fprintf(stderr, "selo-call: no such command: %s", line);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}
