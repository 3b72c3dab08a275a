/*
 * Selo simavr runner: the instructions of the chip [AVR-ISA].
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * simavr decodes every instruction each time that it executes it, keeps the status register in
 * eight bytes, and calls a function for each access to memory. This file executes the same
 * instructions several times faster: it decodes each word of the flash once, keeps the status
 * register in one byte, and accesses RAM and registers directly.
 *
 * It executes only what has no side effect. simavr itself executes everything else, one
 * instruction at a time: I/O registers with callbacks, memory that does not exist, the interrupt
 * flag, sleep, and what only large chips have. So peripherals, interrupts and faults are simavr's.
 *
 * Skips over ADIW and SBIW with a constant that ends in 12 to 15 are right here. simavr 1.6 takes
 * these for instructions of two words.
 *
 * tests/sims/differential.sh compares random programs with two other simulators.
 */
#include "core.h"
#include "decode.h"
#include "flags.h"

#include <simavr/sim_core.h>
#include <stdlib.h>
#include <string.h>

uint16_t core_stack_low = 0xffff;

static struct instruction *code;
static uint32_t words;     /* of the flash */
static uint32_t ram_begin; /* first address above the I/O registers */

/* Forgets what was decoded. Behind the flash, simavr finds the fault. */
static void forget(void)
{
    memset(code, 0, words * sizeof *code);
    for (uint32_t i = words; i < words + 4; i++)
        code[i] = (struct instruction){.operation = OTHER};
}

void core_open(avr_t *avr)
{
    words = (avr->flashend + 1) / 2;
    ram_begin = avr->ioend + 1u;
    free(code);
    code = malloc((words + 4) * sizeof *code);
    if (!code)
        abort(); /* at most 1 MiB */
    forget();
}

static uint8_t flags_in(const avr_t *avr)
{
    uint8_t flags = 0;
    for (int i = 0; i < 8; i++)
        flags |= (uint8_t)((avr->sreg[i] != 0) << i);
    return flags;
}

static void flags_out(avr_t *avr, uint8_t flags)
{
    for (int i = 0; i < 8; i++)
        avr->sreg[i] = flags >> i & 1;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static inline uint16_t pair(const uint8_t *data, unsigned at)
{
    return (uint16_t)(data[at] | data[at + 1] << 8);
}

static inline void set_pair(uint8_t *data, unsigned at, uint16_t value)
{
    data[at] = (uint8_t)value;
    data[at + 1] = (uint8_t)(value >> 8);
}

/* A stack whose `count` upper bytes are RAM, and whose pointer needs no look. */
static inline int is_quiet(const avr_t *avr, unsigned pointer, unsigned count)
{
    return pointer >= core_stack_low && pointer <= avr->ramend && pointer + count <= avr->ramend
        && pointer + 1 >= ram_begin;
}

static void push_return(uint8_t *data, uint16_t pointer, unsigned count, uint32_t address)
{
    for (unsigned i = 0; i < count; i++, address >>= 8)
        data[(uint16_t)(pointer - i)] = (uint8_t)address;
    set_pair(data, R_SPL, (uint16_t)(pointer - count));
}

static int reads_plainly(const avr_t *avr, uint8_t address)
{
    avr_io_addr_t io = AVR_DATA_TO_IO(address);
    return address != R_SREG && !avr->io[io].r.c && !avr->io[io].irq;
}

static int writes_plainly(const avr_t *avr, uint8_t address)
{
    avr_io_addr_t io = AVR_DATA_TO_IO(address);
    return address != R_SREG && !avr->io[io].w.c && !avr->io[io].irq;
}

/* The value of an I/O register, with its callback. */
static uint8_t read_io(avr_t *avr, uint8_t address)
{
    avr_io_addr_t io = AVR_DATA_TO_IO(address);
    if (avr->io[io].r.c)
        avr->data[address] = avr->io[io].r.c(avr, address, avr->io[io].r.param);
    return avr->data[address];
}

/* ---- Executing ----------------------------------------------------------------------------- */

/* The state of a run, for what leaves the loop. */
struct run {
    avr_cycle_count_t left; /* cycles until simavr must look at its timers */
    int ends;
};

/*
 * simavr sets run_cycle_count when a callback sets a timer, to at least 1. So 0 makes it return
 * after one instruction, and is still there if no timer was set.
 */
static void look_after_callbacks(avr_t *avr, struct run *run, avr_cycle_count_t before)
{
    avr_cycle_count_t used = avr->cycle - before;
    run->ends = avr->run_cycle_count != 0 || used >= run->left || avr->state != cpu_Running
        || avr->interrupt_state != 0;
    run->left -= run->ends ? 0 : used;
    if (avr->run_cycle_count == 0)
        avr->run_cycle_count = 1;
}

/* simavr executes the instruction at the word `at`. Returns the next word. */
static uint32_t leave_to_simavr(avr_t *avr, uint32_t at, struct run *run)
{
    avr_cycle_count_t before = avr->cycle;
    int writes_flash = at < words && decode_word(avr, at) == 0x95e8;
    avr->pc = at * 2;
    avr->run_cycle_count = 0;
    uint32_t next = avr_run_one(avr) / 2;
    look_after_callbacks(avr, run, before);
    if (writes_flash)
        forget();
    return next;
}

/* SBIC and SBIS of a register with a callback. simavr's own may skip too far. */
static uint32_t skip_with_callback(avr_t *avr, uint32_t at, const struct instruction *in, struct run *run)
{
    avr_cycle_count_t before = avr->cycle;
    avr->pc = at * 2;
    avr->run_cycle_count = 0;
    int skips = ((read_io(avr, in->d) & in->r) != 0) == (int)in->k;
    avr->cycle += skips ? in->words_over : 1u;
    look_after_callbacks(avr, run, before);
    return at + (skips ? in->words_over : 1u);
}

#define DO_OTHER \
    do { \
        flags_out(avr, flags); \
        avr->cycle = cycle; \
        run.left = left; \
        at = leave_to_simavr(avr, at, &run); \
        goto looked; \
    } while (0)

/* Ends an instruction of `taken` cycles. The next one is at the word `to`. */
#define DONE(taken, to) \
    do { \
        at = (to); \
        cycles = (taken); \
        goto done; \
    } while (0)

/* One loop, whose state the compiler keeps in registers. */
avr_flashaddr_t core_run(avr_t *avr)
{
    if (avr->pc / 2 >= words)
        return avr_run_one(avr); /* a fault */
    /* Stores through `data` may change everything that is not local. */
    uint8_t *const data = avr->data;
    const uint8_t *const flash = avr->flash;
    struct instruction *const decoded = code;
    const uint32_t ram_low = ram_begin, ram_size = avr->ramend + 1u - ram_begin, flash_size = words;
    /* An interrupt that is due, or soon will be, is looked at after each instruction. */
    avr_cycle_count_t left = avr->interrupt_state ? 0 : avr->run_cycle_count;
    avr_cycle_count_t cycle = avr->cycle;
    uint8_t flags = flags_in(avr);
    uint32_t at = avr->pc / 2;
    struct run run;

    for (;;) {
        const struct instruction *in = &decoded[at];
        const unsigned d = in->d, r = in->r;
        unsigned cycles, address, sum;
        uint16_t wide;
        uint8_t result;
        switch (in->operation) {
        case UNKNOWN:
            decode(avr, &decoded[at], at, flash_size);
            continue;
        default:
            DO_OTHER;
        case NOP:
            DONE(1, at + 1);
        case MOVW:
            set_pair(data, d, pair(data, r));
            DONE(1, at + 1);
        case MOV:
            data[d] = data[r];
            DONE(1, at + 1);
        case LDI:
            data[d] = (uint8_t)in->k;
            DONE(1, at + 1);

        case ADD:
            sum = (unsigned)data[d] + data[r];
            flags = added(flags, data[d], data[r], sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case ADC:
            sum = (unsigned)data[d] + data[r] + (flags & C);
            flags = added(flags, data[d], data[r], sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case SUB:
            sum = (unsigned)data[d] - data[r];
            flags = subtracted(flags, data[d], data[r], sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case SBC:
            sum = (unsigned)data[d] - data[r] - (flags & C);
            flags = subtracted_on(flags, data[d], data[r], sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case CP:
            flags = subtracted(flags, data[d], data[r], (unsigned)data[d] - data[r]);
            DONE(1, at + 1);
        case CPC:
            flags = subtracted_on(flags, data[d], data[r], (unsigned)data[d] - data[r] - (flags & C));
            DONE(1, at + 1);
        case SUBI:
            sum = (unsigned)data[d] - in->k;
            flags = subtracted(flags, data[d], in->k, sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case SBCI:
            sum = (unsigned)data[d] - in->k - (flags & C);
            flags = subtracted_on(flags, data[d], in->k, sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case CPI:
            flags = subtracted(flags, data[d], in->k, (unsigned)data[d] - in->k);
            DONE(1, at + 1);

        case AND:
            flags = combined(flags, data[d] &= data[r]);
            DONE(1, at + 1);
        case OR:
            flags = combined(flags, data[d] |= data[r]);
            DONE(1, at + 1);
        case EOR:
            flags = combined(flags, data[d] ^= data[r]);
            DONE(1, at + 1);
        case ORI:
            flags = combined(flags, data[d] |= (uint8_t)in->k);
            DONE(1, at + 1);
        case ANDI:
            flags = combined(flags, data[d] &= (uint8_t)in->k);
            DONE(1, at + 1);
        case COM:
            data[d] = (uint8_t)~data[d];
            flags = combined(flags, data[d]) | C;
            DONE(1, at + 1);
        case NEG:
            sum = 0u - data[d];
            flags = subtracted(flags, 0, data[d], sum);
            data[d] = (uint8_t)sum;
            DONE(1, at + 1);
        case SWAP:
            data[d] = (uint8_t)(data[d] << 4 | data[d] >> 4);
            DONE(1, at + 1);
        case INC:
            flags = stepped(flags, ++data[d], 0x80);
            DONE(1, at + 1);
        case DEC:
            flags = stepped(flags, --data[d], 0x7f);
            DONE(1, at + 1);
        case ASR:
            result = (uint8_t)((data[d] & 0x80) | data[d] >> 1);
            flags = shifted(flags, data[d], result);
            data[d] = result;
            DONE(1, at + 1);
        case LSR:
            result = data[d] >> 1;
            flags = shifted(flags, data[d], result);
            data[d] = result;
            DONE(1, at + 1);
        case ROR:
            result = (uint8_t)((flags & C) << 7 | data[d] >> 1);
            flags = shifted(flags, data[d], result);
            data[d] = result;
            DONE(1, at + 1);

        case ADIW:
            wide = (uint16_t)(pair(data, d) + in->k);
            flags = word_changed(flags, wide, pair(data, d) & ~(unsigned)wide, wide & ~(unsigned)pair(data, d));
            set_pair(data, d, wide);
            DONE(2, at + 1);
        case SBIW:
            wide = (uint16_t)(pair(data, d) - in->k);
            flags = word_changed(flags, wide, wide & ~(unsigned)pair(data, d), pair(data, d) & ~(unsigned)wide);
            set_pair(data, d, wide);
            DONE(2, at + 1);

        case MUL:
            wide = (uint16_t)(data[d] * data[r]);
            flags = multiplied(flags, wide, wide);
            set_pair(data, 0, wide);
            DONE(2, at + 1);
        case MULS:
            wide = (uint16_t)((int8_t)data[d] * (int8_t)data[r]);
            flags = multiplied(flags, wide, wide);
            set_pair(data, 0, wide);
            DONE(2, at + 1);
        case MULSU:
            wide = (uint16_t)((int8_t)data[d] * data[r]);
            flags = multiplied(flags, wide, wide);
            set_pair(data, 0, wide);
            DONE(2, at + 1);
        case FMUL:
            wide = (uint16_t)(data[d] * data[r]);
            flags = multiplied(flags, (uint16_t)(wide << 1), wide);
            set_pair(data, 0, (uint16_t)(wide << 1));
            DONE(2, at + 1);
        case FMULS:
            wide = (uint16_t)((int8_t)data[d] * (int8_t)data[r]);
            flags = multiplied(flags, (uint16_t)(wide << 1), wide);
            set_pair(data, 0, (uint16_t)(wide << 1));
            DONE(2, at + 1);
        case FMULSU:
            wide = (uint16_t)((int8_t)data[d] * data[r]);
            flags = multiplied(flags, (uint16_t)(wide << 1), wide);
            set_pair(data, 0, (uint16_t)(wide << 1));
            DONE(2, at + 1);

        /* r is the pointer. The lower half of k is added to it for the address, and the upper half
         * for good. */
        case LD:
            address = (uint16_t)(pair(data, r) + in->k);
            if (address - ram_low >= ram_size)
                DO_OTHER;
            result = data[address];
            set_pair(data, r, (uint16_t)(pair(data, r) + (in->k >> 16)));
            data[d] = result;
            DONE(2, at + 1);
        case ST:
            address = (uint16_t)(pair(data, r) + in->k);
            if (address - ram_low >= ram_size)
                DO_OTHER;
            data[address] = data[d];
            set_pair(data, r, (uint16_t)(pair(data, r) + (in->k >> 16)));
            DONE(2, at + 1);
        case LDS:
            if (in->k - ram_low >= ram_size)
                DO_OTHER;
            data[d] = data[in->k];
            DONE(2, at + 2);
        case STS:
            if (in->k - ram_low >= ram_size)
                DO_OTHER;
            data[in->k] = data[d];
            DONE(2, at + 2);
        case LPM:
            address = pair(data, R_ZL);
            if (address > avr->flashend)
                DO_OTHER;
            data[d] = flash[address];
            DONE(3, at + 1);
        case LPM_UP:
            address = pair(data, R_ZL);
            if (address > avr->flashend)
                DO_OTHER;
            data[d] = flash[address];
            set_pair(data, R_ZL, (uint16_t)(address + 1));
            DONE(3, at + 1);

        case PUSH:
            address = pair(data, R_SPL);
            if (!is_quiet(avr, address - 1, 1))
                DO_OTHER;
            data[address] = data[d];
            set_pair(data, R_SPL, (uint16_t)(address - 1));
            DONE(2, at + 1);
        case POP:
            address = pair(data, R_SPL) + 1u;
            if (!is_quiet(avr, address, 0))
                DO_OTHER;
            data[d] = data[address];
            set_pair(data, R_SPL, (uint16_t)address);
            DONE(2, at + 1);

        case JMP:
            DONE(3, in->k);
        case RJMP:
            DONE(2, in->k);
        case IJMP:
            at = pair(data, R_ZL);
            cycles = 2;
            goto jumped;
        case CALL:
        case RCALL:
            address = pair(data, R_SPL);
            if (!is_quiet(avr, address - avr->address_size, avr->address_size))
                DO_OTHER;
            /* d is the number of words. */
            push_return(data, (uint16_t)address, avr->address_size, at + d);
            DONE(d + avr->address_size, in->k);
        case ICALL:
            address = pair(data, R_SPL);
            if (!is_quiet(avr, address - avr->address_size, avr->address_size))
                DO_OTHER;
            push_return(data, (uint16_t)address, avr->address_size, at + 1);
            at = pair(data, R_ZL);
            cycles = 1u + avr->address_size;
            goto jumped;
        case RET:
            address = pair(data, R_SPL);
            if (!is_quiet(avr, address + avr->address_size, 0) || address + 1 < ram_begin)
                DO_OTHER;
            sum = 0;
            for (unsigned i = 0; i < avr->address_size; i++)
                sum = sum << 8 | data[++address];
            set_pair(data, R_SPL, (uint16_t)address);
            at = sum;
            cycles = 2u + avr->address_size;
            goto jumped;

        /* r is the mask of the bit, and k of a skip the value to skip for. */
        case BRANCH_SET:
            if (flags & r)
                DONE(2, in->k);
            DONE(1, at + 1);
        case BRANCH_CLEAR:
            if (!(flags & r))
                DONE(2, in->k);
            DONE(1, at + 1);
        case CPSE:
            if (data[d] == data[r])
                DONE(in->words_over, at + in->words_over);
            DONE(1, at + 1);
        case SKIP_BIT:
            if (((data[d] & r) != 0) == (int)in->k)
                DONE(in->words_over, at + in->words_over);
            DONE(1, at + 1);
        case SKIP_IO:
            if (!reads_plainly(avr, (uint8_t)d)) {
                flags_out(avr, flags);
                avr->cycle = cycle;
                run.left = left;
                at = skip_with_callback(avr, at, in, &run);
                goto looked;
            }
            if (((data[d] & r) != 0) == (int)in->k)
                DONE(in->words_over, at + in->words_over);
            DONE(1, at + 1);
        case BLD:
            data[d] = (uint8_t)(flags & T ? data[d] | r : data[d] & ~r);
            DONE(1, at + 1);
        case BST:
            flags = (uint8_t)(data[d] & r ? flags | T : flags & ~T);
            DONE(1, at + 1);
        case FLAG_SET:
            flags |= (uint8_t)r;
            DONE(1, at + 1);
        case FLAG_CLEAR:
            flags &= (uint8_t)~r;
            DONE(1, at + 1);

        /* r is the address of the I/O register. */
        case IN:
            if (!reads_plainly(avr, (uint8_t)r) && r != R_SREG)
                DO_OTHER;
            data[d] = r == R_SREG ? flags : data[r];
            DONE(1, at + 1);
        case OUT:
            if (!writes_plainly(avr, (uint8_t)r))
                DO_OTHER;
            data[r] = data[d];
            DONE(1, at + 1);
        }
    done:
        cycle += cycles;
        if (left <= cycles)
            break;
        left -= cycles;
        continue;
    jumped:
        cycle += cycles;
        if (left <= cycles || at >= flash_size)
            break; /* simavr finds that the flash has ended, when it goes on */
        left -= cycles;
        continue;
    looked:
        cycle = avr->cycle;
        flags = flags_in(avr);
        left = run.left;
        if (run.ends || at >= flash_size)
            break;
    }
    flags_out(avr, flags);
    avr->cycle = cycle;
    return at * 2;
}
