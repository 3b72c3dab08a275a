/*
 * Selo simavr runner: the simulated chip with its marks, its stack watch, its
 * memory watch and its UART.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many instructions are executed per call, until a timer is due or an interrupt is
 * pending. This file therefore only hooks into places that simavr reaches anyway,
 * which costs nothing in between:
 *
 *  marks   a write callback on GPIOR0. simavr adds an instruction's cycles after
 *          executing it. At both marks the callback sees the counter before the OUT,
 *          so the difference is exact.
 *  stack   write callbacks on SPL and SPH. OUT reaches them, and so do push, call,
 *          ret and interrupts.
 *  flash   ends where inaccessible pages begin, so a read beyond its end traps in the
 *          host's MMU. This needs no comparison per access.
 *  RAM     simavr checks every access and reports errors through its logger. It goes
 *          on writing afterwards, so the array behind it has all 64 KiB.
 *
 * Other files model the EEPROM (eeprom.c), pins that the host watches (wires.c), a
 * clock on the bus (ds3231.c), the sleep modes (sleep.c), and interrupts by a low level
 * (levels.c). The instructions are in core.c.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "chip.h"
#include "core.h"
#include "ds3231.h"
#include "eeprom.h"
#include "image.h"
#include "levels.h"
#include "protocol.h"
#include "sleep.h"

#include <setjmp.h>
#include <signal.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    GPIOR0 = 0x3e, /* data address */
    MARK_BEGIN = 1,
    MARK_END = 2,
    SPL = R_SPL,
    SPH = R_SPH,
    DATA_SPACE = 0x10000,
    GUARD_BYTES = 1 << 24, /* RAMPZ:Z reaches 24 bits */
    /* gcc writes SPH, then SREG, then SPL: the two halves are two cycles apart.
     * Between two complete changes there are at least five cycles. */
    TORN_CYCLES = 4,
    /* Maximum cycles that simavr runs before it returns. Its own setting is 1, which
     * halves the speed. It returns earlier for every timer and interrupt. */
    BATCH_CYCLES = 20000,
    /* Cycles of a byte on the UART: for a program that polls, and after an interrupt for which it
     * slept, so that it has left the interrupt before. */
    POLLED_BYTE = 20,
    AWAITED_BYTE = 80,
    SUPPLY_MILLIVOLTS = 5000
};

static avr_t *avr;
static avr_uart_t *uart;
static uint64_t limit;
static uint32_t static_end, heap_top;
static uint64_t input_wait_cycle;
static uint64_t deadline; /* where `advance` ends; 0 outside of it */
static uint16_t stack_lowest; /* since the last reset */

/* The reason why the chip stopped. Callbacks set it, chip_run reads it. */
static const char *fault_kind;
static uint32_t fault_address, fault_pc;

static struct {
    int open;
    uint64_t begin, slept;
    uint16_t stack_base, stack_lowest;
} span;

/* A changed half of the stack pointer. The other half may follow. */
static struct {
    uint16_t half; /* SPL, SPH, or 0 */
    uint16_t value;
    uint64_t cycle;
} torn;
static int in_interrupt_entry;
static int in_reset; /* simavr sets the pointer half by half, from zero */

static uint8_t *input;
static size_t input_read, input_count, input_room;

static uint8_t *guard;
static sigjmp_buf beyond_flash;
static volatile sig_atomic_t running;

static void stop_with_fault(const char *kind, uint32_t address)
{
    if (fault_kind)
        return; /* keep the first fault: it is the cause */
    fault_kind = kind;
    fault_address = address;
    fault_pc = avr->pc;
    avr->state = cpu_Stopped; /* leaves simavr's instruction loop */
}

/* ---- Stack pointer ----------------------------------------------------------- */

static uint16_t stack_pointer(void)
{
    return (uint16_t)(avr->data[SPL] | avr->data[SPH] << 8);
}

/* Tells the core which stack pointers change nothing here. */
static void watch_stack(void)
{
    uint16_t low = span.stack_lowest > stack_lowest ? span.stack_lowest : stack_lowest;
    /* A heap may grow to where the stack was, so all stack pointers are checked. */
    core_stack_low = torn.half || heap_top ? UINT16_MAX : low;
}

/* The first address that the stack may have. The heap's variable is 0 before its first use. */
static uint32_t stack_end(void)
{
    uint32_t top = heap_top ? (uint32_t)(avr->data[heap_top] | avr->data[heap_top + 1] << 8) : 0;
    return top > static_end ? top : static_end;
}

static void stack_moved(uint16_t sp)
{
    if (sp < span.stack_lowest)
        span.stack_lowest = sp;
    if (sp < stack_lowest)
        stack_lowest = sp;
    if (sp < stack_end() || sp > avr->ramend)
        stop_with_fault("stack-collision", sp);
    watch_stack();
}

static void stack_settled(void)
{
    int was_torn = torn.half != 0;
    torn.half = 0;
    if (was_torn)
        stack_moved(torn.value);
}

/* OUT, ST, STD and STS change one half. All other instructions here push or pop. */
static int written_by_store(void)
{
    if (in_interrupt_entry)
        return 0;
    unsigned opcode = (unsigned)(avr->flash[avr->pc] | avr->flash[avr->pc + 1] << 8);
    return (opcode & 0xf800) == 0xb800
        || (opcode & 0xd200) == 0x8200
        || ((opcode & 0xfe00) == 0x9200 && (opcode & 0x000f) != 0x000f);
}

static void stack_half_stored(uint16_t half)
{
    if (torn.half && torn.half != half && avr->cycle - torn.cycle <= TORN_CYCLES) {
        torn.half = 0;
        stack_moved(stack_pointer());
        return;
    }
    stack_settled();
    torn.half = half;
    torn.value = stack_pointer();
    torn.cycle = avr->cycle;
    watch_stack();
}

/* For push, pop, call, ret and interrupts simavr writes SPL, then SPH. The value is
 * complete after the second write. */
static void on_spl(avr_t *chip, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    chip->data[address] = value;
    if (!in_reset && written_by_store())
        stack_half_stored(SPL);
}

static void on_sph(avr_t *chip, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    chip->data[address] = value;
    if (in_reset)
        return;
    if (written_by_store()) {
        stack_half_stored(SPH);
        return;
    }
    stack_settled();
    stack_moved(stack_pointer());
}

/* ---- Marks --------------------------------------------------------------------- */

static void on_mark(avr_t *chip, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    chip->data[address] = value;
    stack_settled();
    if (value == MARK_BEGIN && !span.open) {
        span.open = 1;
        span.begin = chip->cycle;
        span.slept = 0;
        span.stack_base = span.stack_lowest = stack_pointer();
        watch_stack();
    } else if (value == MARK_END && span.open) {
        span.open = 0;
        protocol_span(chip->cycle - span.begin, span.slept,
                      (uint32_t)(span.stack_base - span.stack_lowest));
    } else {
        stop_with_fault("mark-order", value);
    }
}

/* ---- UART ------------------------------------------------------------------------ */

static void on_transmit(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq, (void)unused;
    protocol_received((uint8_t)value);
}

/*
 * Delivers the next byte only when the chip has taken the previous one, so no byte is
 * lost. The receiver then takes the time of one byte at the baud rate before it reports
 * the byte.
 */
static int uart_accepts(void)
{
    return input_read < input_count && avr_regbit_get(avr, uart->rxen)
        && uart->input.read == uart->input.write && !avr_regbit_get(avr, uart->rxc.raised);
}

/*
 * simavr counts eleven bits per byte, and reads the doubled rate only when the divider is
 * written. Where the host advances the chip by cycles, the byte gets its true length.
 * Elsewhere the length does not matter.
 */
static void set_byte_time(void)
{
    unsigned divider = (unsigned)(avr->data[uart->ubrrl.reg] | (avr->data[uart->ubrrh.reg] & 0x0f) << 8);
    unsigned data_bits = 5u + (avr_regbit_get(avr, uart->ucsz) & 3u);
    unsigned bits = 1 + data_bits + 1 + avr_regbit_get(avr, uart->usbs);
    uart->cycles_per_byte = (divider + 1u) * (avr_regbit_get(avr, uart->u2x) ? 8u : 16u) * bits;
}

static void feed_uart(void)
{
    if (uart_accepts())
        avr_raise_irq(uart->io.irq + UART_IRQ_INPUT, input[input_read++]);
}

/* simavr's own function for a read of UDR0, and its argument. */
static avr_io_read_t read_byte;
static void *read_byte_of;

/* True if the chip has slept since it last read a byte: it has nothing else to do. */
static int was_idle;

/*
 * Without --paced the next byte comes soon to a program that polls, or that slept until this one:
 * sleeping between the bytes of a frame would take most of the simulation's time. A program that
 * works and reads in its interrupt may rely on the time of a byte to empty its buffer. simavr leaves
 * the interrupt pending of a byte that was read without it.
 */
static uint8_t on_byte_read(avr_t *chip, avr_io_addr_t address, void *unused)
{
    static avr_cycle_count_t byte_time;
    (void)unused;
    uint8_t value = read_byte(chip, address, read_byte_of);
    if (deadline)
        return value;
    avr_cycle_count_t *time = &uart->cycles_per_byte;
    int in_interrupt = chip->interrupts.running_ptr != 0;
    if (*time != POLLED_BYTE && *time != AWAITED_BYTE)
        byte_time = *time;
    *time = !in_interrupt ? POLLED_BYTE : was_idle ? AWAITED_BYTE : byte_time;
    was_idle = 0;
    if (!in_interrupt)
        avr_clear_interrupt(chip, &uart->rxc);
    feed_uart();
    return value;
}

void chip_send(const uint8_t *bytes, size_t count)
{
    if (input_read == input_count)
        input_read = input_count = 0;
    if (input_count + count > input_room) {
        input_room = (input_count + count) * 2;
        input = realloc(input, input_room);
        if (!input)
            protocol_error("out of memory");
    }
    memcpy(input + input_count, bytes, count);
    input_count += count;
}

/* ---- Pins ------------------------------------------------------------------------------ */

/* simavr drives an input to its pull-up whenever the program writes the port. Levels driven
 * from outside are therefore also given to the port, which then prefers them. */
/* Indexed by the port's letter: the pins driven from outside, and their levels. */
static uint8_t driven[256], levels[256];

void chip_pin(char port, uint8_t bit, uint8_t level)
{
    avr_irq_t *irq = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit);
    if (!irq)
        protocol_error("the chip has no pin P%c%u", port, bit);
    uint8_t at = (uint8_t)port, mask = (uint8_t)(1u << bit);
    driven[at] |= mask;
    levels[at] = (uint8_t)(level ? levels[at] | mask : levels[at] & ~mask);
    avr_ioport_external_t outside = {.name = at, .mask = driven[at], .value = levels[at]};
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &outside);
    avr_raise_irq(irq, level);
}

/* A reset sets the pin registers to 0, and simavr only passes on changes. */
static void drive_pins_again(void)
{
    for (unsigned port = 'A'; port <= 'Z'; port++) {
        for (uint8_t bit = 0; bit < 8; bit++) {
            if (!(driven[port] >> bit & 1))
                continue;
            uint8_t level = levels[port] >> bit & 1;
            avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ((char)port), bit)->value = !level;
            chip_pin((char)port, bit, level);
        }
    }
}

/* ---- Faults from simavr or the MMU --------------------------------------------------- */

/* simavr reports faults through its logger. The message has the kind and the address. */
static void on_log(avr_t *chip, const int level, const char *format, va_list arguments)
{
    char message[512];
    if (level > LOG_ERROR)
        return;
    vsnprintf(message, sizeof message, format, arguments);
    fprintf(stderr, "simavr: %s", message);
    if (!chip || !running)
        return;

    unsigned address = 0;
    const char *stated = strstr(message, " Address ");
    if (stated)
        sscanf(stated, " Address %x", &address);
    if (strstr(message, "Invalid write address"))
        stop_with_fault("invalid-write", address);
    else if (strstr(message, "Invalid read address"))
        stop_with_fault("invalid-read", address);
    else if (strstr(message, "Invalid Opcode"))
        stop_with_fault("invalid-opcode", chip->pc);
}

static void on_trap(int signal_number, siginfo_t *info, void *unused)
{
    (void)unused;
    const uint8_t *address = info->si_addr;
    if (!running || address < guard || address >= guard + GUARD_BYTES) {
        signal(signal_number, SIG_DFL); /* a defect of this program: crash visibly */
        return;
    }
    stop_with_fault("flash-read-out-of-bounds", (uint32_t)(address - avr->flash));
    siglongjmp(beyond_flash, 1);
}

/* Flash that ends where the inaccessible pages begin. */
static uint8_t *guarded_flash(uint32_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (size + page - 1) / page * page;
    uint8_t *memory = mmap(NULL, room + GUARD_BYTES, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, room, PROT_READ | PROT_WRITE) != 0)
        protocol_error("cannot reserve memory for the flash");
    guard = memory + room;
    uint8_t *flash = guard - size;
    memset(flash, 0xff, size);
    return flash;
}

/* ---- Open, run, stop ------------------------------------------------------------------- */

static avr_uart_t *find_uart(void)
{
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (strcmp(io->kind, "uart") == 0 && ((avr_uart_t *)io)->name == '0')
            return (avr_uart_t *)io;
    return NULL;
}

static avr_cycle_count_t on_deadline(avr_t *chip, avr_cycle_count_t when, void *unused)
{
    (void)chip, (void)when, (void)unused;
    return 0; /* only gives sleep an end, also for an idle chip */
}

void chip_open(const struct chip_options *options, const char *image)
{
    avr_global_logger_set(on_log);
    avr = avr_make_mcu_by_name(options->mcu);
    if (!avr)
        protocol_error("simavr does not know the chip %s", options->mcu);
    avr_init(avr);
    avr->frequency = options->frequency;
    avr->log = LOG_ERROR;
    limit = options->limit;
    static_end = options->static_end;
    heap_top = options->heap_top < avr->ramend ? options->heap_top : 0;

    free(avr->flash);
    avr->flash = guarded_flash(avr->flashend + 1);
    uint8_t *data = calloc(1, DATA_SPACE);
    if (!data)
        protocol_error("out of memory");
    memcpy(data, avr->data, (size_t)avr->ramend + 1);
    free(avr->data);
    avr->data = data;

    char reason[128];
    if (image_load(image, avr->flash, avr->flashend + 1, reason, sizeof reason) != 0)
        protocol_error("%s: %s", image, reason);
    avr->codeend = avr->flashend;
    avr->run_cycle_limit = BATCH_CYCLES;
    core_open(avr);

    uart = find_uart();
    if (!uart)
        protocol_error("the chip %s has no UART 0", options->mcu);
    uart->flags = 0; /* neither sleep on polling nor copy to the console */
    avr_irq_register_notify(uart->io.irq + UART_IRQ_OUTPUT, on_transmit, NULL);
    avr_io_addr_t received = AVR_DATA_TO_IO(uart->r_udr);
    read_byte = avr->io[received].r.c;
    read_byte_of = avr->io[received].r.param;
    avr->io[received].r.c = on_byte_read;
    eeprom_open(avr, options->eeprom);
    levels_open(avr);
    sleep_open(avr, on_deadline, options->has_watchdog);
    chip_supply(SUPPLY_MILLIVOLTS);
    if (options->has_clock) {
        ds3231_open(avr, options->clock_seconds);
        if (!ds3231_is_there())
            protocol_error("the chip %s has no two-wire bus", options->mcu);
    }
    stack_lowest = avr->ramend;
    watch_stack();
    avr_register_io_write(avr, GPIOR0, on_mark, NULL);
    avr_register_io_write(avr, SPL, on_spl, NULL);
    avr_register_io_write(avr, SPH, on_sph, NULL);

    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &trap, NULL);
    sigaction(SIGBUS, &trap, NULL);
    protocol_ready(options->mcu, avr->frequency, avr->ramend, avr->flashend);
    for (unsigned i = 0; i < options->wire_count; i++)
        if (wires_open(avr, &options->wires[i]) != 0)
            protocol_error("the chip has no pin P%c%u", options->wires[i].port, options->wires[i].bit);
}

void chip_supply(uint32_t millivolts) { avr->vcc = avr->avcc = avr->aref = millivolts; }

void chip_reset(void)
{
    eeprom_cut();
    in_reset = 1;
    avr_reset(avr);
    levels_reset();
    drive_pins_again();
    sleep_reset();
    in_reset = 0;
    avr->state = cpu_Running;
    uart->flags = 0;
    input_read = input_count = 0;
    span.open = 0;
    torn.half = 0;
    stack_lowest = avr->ramend;
    watch_stack();
    input_wait_cycle = avr->cycle;
}

void chip_set_limit(uint64_t cycles) { limit = cycles; }
uint32_t chip_pc(void) { return avr->pc; }

void chip_stopped(const char *reason, uint32_t pc)
{
    eeprom_save();
    protocol_stopped(reason, pc, avr->cycle);
}

/*
 * Does the work of simavr's own run function, with three differences. Sleeping advances
 * the cycle counter and never waits for the wall clock. Slept cycles are kept. Interrupt
 * entry is marked, to distinguish its pushes from stores.
 */
static void run_on(void)
{
    sleep_woken();
    avr_flashaddr_t next = avr->pc;
    if (avr->state == cpu_Running)
        next = core_run(avr);
    if (avr->state == cpu_Crashed && avr->pc >= avr->flashend)
        stop_with_fault("flash-read-out-of-bounds", avr->pc); /* of an instruction */
    avr_cycle_timer_process(avr);
    avr->pc = next;
    if (avr->state == cpu_Sleeping && avr->sreg[S_I]) {
        was_idle = 1;
        span.slept += sleep_on();
    }
    if ((avr->state == cpu_Running || avr->state == cpu_Sleeping) && avr->interrupt_state) {
        in_interrupt_entry = 1;
        avr_service_interrupts(avr);
        in_interrupt_entry = 0;
    }
}

/* True at the instruction with which exit() and abort() end: RJMP .-2. */
static int at_jump_to_itself(void)
{
    const uint8_t *code = avr->flash + avr->pc;
    return avr->pc < avr->flashend && code[0] == 0xff && code[1] == 0xcf;
}

enum state { RUNS, IDLE, PAUSED, STOPPED };

/* Returns the state. If the chip has stopped, prints the reason. */
static enum state look_at_state(void)
{
    if (fault_kind) {
        protocol_fault(fault_kind, fault_pc, fault_address, avr->cycle);
        chip_stopped("fault", fault_pc);
        return STOPPED;
    }
    if (avr->state == cpu_Sleeping && !avr->sreg[S_I]) {
        chip_stopped("halted", avr->pc);
        return STOPPED;
    }
    if (avr->state != cpu_Running && avr->state != cpu_Sleeping) {
        chip_stopped("crash", avr->pc);
        return STOPPED;
    }
    if (avr->state == cpu_Sleeping && !sleep_ends() && (sleep_is_deep() || !uart_accepts())
        && !avr_has_pending_interrupts(avr))
        return IDLE;
    if (deadline)
        return avr->cycle >= deadline ? PAUSED : RUNS;
    if (!avr->sreg[S_I] && at_jump_to_itself()) {
        chip_stopped("halted", avr->pc);
        return STOPPED;
    }
    if (limit && avr->cycle - input_wait_cycle > limit) {
        chip_stopped("cycle-limit", avr->pc);
        return STOPPED;
    }
    return RUNS;
}

static enum state run(void)
{
    running = 1;
    enum state state;
    if (sigsetjmp(beyond_flash, 1) != 0) {
        state = look_at_state(); /* reached after a trap, which has set the fault */
    } else {
        do {
            if (deadline)
                set_byte_time();
            if (!sleep_is_deep())
                feed_uart();
            run_on();
            state = look_at_state();
        } while (state == RUNS);
    }
    running = 0;
    wires_settle();
    return state;
}

int chip_run(void)
{
    input_wait_cycle = avr->cycle;
    if (run() == STOPPED)
        return -1;
    protocol_idle(avr->cycle);
    return 0;
}

int chip_advance(uint64_t cycles)
{
    uint64_t begin = avr->cycle;
    deadline = cycles < UINT64_MAX / 2 - begin ? begin + cycles : UINT64_MAX / 2;
    avr_cycle_timer_register(avr, deadline - begin, on_deadline, NULL);
    enum state state = cycles == 0 ? PAUSED : run();
    avr_cycle_timer_cancel(avr, on_deadline, NULL);
    if (state == STOPPED)
        return -1;
    deadline = 0;
    protocol_advanced(state == IDLE ? "idle" : "paused", avr->cycle,
                      (uint32_t)(avr->ramend - stack_lowest), sleep_light(), sleep_deep());
    return 0;
}
