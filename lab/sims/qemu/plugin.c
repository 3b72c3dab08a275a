/*
 * selo-qemu: counts the instructions of an emulated program between two marks, by class,
 * and ends a program that runs too long (docs/contributor/runner-protocol.md).
 *
 *   -plugin selo-qemu.so,report=SOCKET,limit=N,mark1=ADDRESS,...,mark2=...,mark3=...,part=FIRST-END,...
 *
 * A block is a run of instructions that the program leaves only at its end. Each mark
 * begins a block. At run time the plugin only counts the entries of each block, one
 * increment per entry. These counts give the instructions between two marks. The start
 * of the next block shows whether a conditional branch was taken. The blocks that begin in one of the
 * parts, ranges of addresses, are also counted by themselves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "decode.h"
#include "qemu_api.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

#define RUNNER_VERSION "0.1.0"

enum { MARKS = 64, PARTS = 256, STOPPED = 3 };

EXPORTED int qemu_plugin_version = PLUGIN_INTERFACE;
EXPORTED int qemu_plugin_install(plugin_id id, const struct plugin_machine *machine, int count,
                                 char **arguments);

enum mark { NO_MARK, BEGIN, END, WAIT };

struct block {
    uint64_t start, next; /* its first address, and the one after its last instruction */
    uint64_t span;        /* the span that the two counters below are of */
    uint64_t entered, taken, paired;
    struct block *touched; /* the list of the span's blocks */
    uint32_t instructions;
    uint8_t mark;
    uint8_t of_part;
    uint8_t conditional; /* it ends in a conditional branch */
    uint8_t last;        /* the class of that branch if it is taken */
    /* Whether its first or last instruction is a load. QEMU cuts blocks at the end of a page, but
     * the core pairs two consecutive loads across this cut too. */
    uint8_t begins_in_load, ends_in_load;
    uint16_t classes[CLASSES];
};

static struct { uint64_t address; enum mark mark; } marks[MARKS];
static size_t mark_count;
static struct { uint64_t first, end; } parts[PARTS];
static size_t part_count;
static decoder *decode;
static int report = -1;
static uint64_t limit;

static uint64_t executed;       /* since the program last waited for the host */
static uint64_t span = 1;       /* number of the span */
static int inside;
static struct block *touched;
static struct block *previous;

/* ---- Report ------------------------------------------------------------------------------ */

static void say(const char *format, ...)
{
    char line[1024];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    for (int at = 0; at < length;) {
        ssize_t put = write(report, line + at, (size_t)(length - at));
        if (put <= 0)
            _exit(1); /* the host is gone */
        at += (int)put;
    }
}

static void stop(const char *reason, uint64_t pc)
{
    say("stopped reason=%s pc=0x%" PRIx64 " instructions=%" PRIu64 "\n", reason, pc, executed);
    _exit(STOPPED);
}

static void fault_mark_order(uint64_t pc)
{
    say("fault kind=mark-order pc=0x%" PRIx64 "\n", pc);
    stop("fault", pc);
}

/* Reports the counts of the span's blocks as a line that begins with `word`: of all, or only of those
 * of the parts. */
static void report_blocks(const char *word, int only_parts)
{
    uint64_t totals[CLASSES] = {0}, instructions = 0;
    for (struct block *at = touched; at != NULL; at = at->touched) {
        if (only_parts && !at->of_part)
            continue;
        instructions += at->entered * at->instructions;
        for (int class = 0; class < CLASSES; class++)
            totals[class] += at->entered * at->classes[class];
        totals[LOAD] -= at->paired;
        totals[LOAD_NEXT] += at->paired;
        if (at->conditional) {
            totals[at->last] += at->taken;
            totals[BRANCH_NOT_TAKEN] += at->entered - at->taken;
        }
    }
    char line[800];
    int length = 0;
    for (int class = 0; class < CLASSES; class++)
        if (totals[class] != 0)
            length += snprintf(line + length, sizeof line - (size_t)length, " %s=%" PRIu64,
                               class_names[class], totals[class]);
    line[length] = '\0';
    say("%s instructions=%" PRIu64 "%s\n", word, instructions, line);
}

static void report_span(void)
{
    if (part_count != 0)
        report_blocks("part", 1);
    report_blocks("span", 0);
}

/* ---- At run time --------------------------------------------------------------------------- */

static void on_mark(struct block *block)
{
    switch (block->mark) {
    case BEGIN:
        if (inside)
            fault_mark_order(block->start);
        inside = 1;
        touched = NULL;
        span++;
        break;
    case END:
        if (!inside)
            fault_mark_order(block->start);
        inside = 0;
        report_span();
        break;
    default:
        executed = 0;
        break;
    }
}

static void on_block(unsigned cpu, void *data)
{
    struct block *block = data;
    (void)cpu;
    uint64_t paired = 0;
    if (previous != NULL && previous->span == span) {
        int follows = block->start == previous->next;
        if (previous->conditional)
            previous->taken += !follows;
        paired = follows && previous->ends_in_load && block->begins_in_load;
    }
    previous = block;
    executed += block->instructions;
    if (executed > limit)
        stop("instruction-limit", block->start);
    if (block->mark)
        on_mark(block);
    if (!inside) {
        previous = NULL;
        return;
    }
    if (block->span != span) {
        block->span = span;
        block->entered = block->taken = block->paired = 0;
        block->touched = touched;
        touched = block;
    }
    block->entered++;
    block->paired += paired;
}

/* The core sleeps, and nothing can wake it. */
static void on_idle(plugin_id id, unsigned cpu)
{
    (void)id;
    (void)cpu;
    if (inside) /* a machine is idle before it starts too */
        stop("halted", previous != NULL ? previous->next : 0);
}

/* ---- At translation ------------------------------------------------------------------------- */

static enum mark mark_at(uint64_t address)
{
    for (size_t i = 0; i < mark_count; i++)
        if (marks[i].address == address)
            return marks[i].mark;
    return NO_MARK;
}

static int is_of_part(uint64_t address)
{
    for (size_t i = 0; i < part_count; i++)
        if (parts[i].first <= address && address < parts[i].end)
            return 1;
    return 0;
}

static void count_class(struct block *block, const struct decoded *decoded, enum class before)
{
    enum class class = decoded->class;
    if (class == LOAD && before == LOAD)
        class = LOAD_NEXT;
    block->classes[class]++;
    if (class == LOAD_MULTIPLE)
        block->classes[LOAD_REGISTER] = (uint16_t)(block->classes[LOAD_REGISTER] + decoded->registers);
    if (class == STORE_MULTIPLE)
        block->classes[STORE_REGISTER] = (uint16_t)(block->classes[STORE_REGISTER] + decoded->registers);
    block->classes[LOAD_PC] = (uint16_t)(block->classes[LOAD_PC] + decoded->loads_pc);
}

static struct decoded decoded_at(struct qemu_plugin_insn *at)
{
    uint8_t bytes[4] = {0};
    size_t size = qemu_plugin_insn_size(at);
    memcpy(bytes, qemu_plugin_insn_data(at), size < sizeof bytes ? size : sizeof bytes);
    return decode(bytes);
}

static int is_jump(enum class class)
{
    return class == JUMP || class == CALL || class == JUMP_REGISTER;
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *translated)
{
    (void)id;
    struct block *block = NULL;
    enum class before = OTHER;
    unsigned guarded = 0;
    size_t count = qemu_plugin_tb_n_insns(translated);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(translated, i);
        uint64_t address = qemu_plugin_insn_vaddr(at);
        enum mark mark = mark_at(address);
        if (block == NULL || mark != NO_MARK) {
            /* Never freed, because a block is translated a few times at most. */
            block = calloc(1, sizeof *block);
            if (block == NULL)
                abort();
            block->start = address;
            block->mark = (uint8_t)mark;
            block->of_part = (uint8_t)is_of_part(address);
            before = OTHER;
            qemu_plugin_register_vcpu_insn_exec_cb(at, on_block, PLUGIN_NO_REGISTERS, block);
        }
        block->instructions++;
        struct decoded decoded = decoded_at(at);
        block->next = address + decoded.size;
        int guarded_jump = guarded != 0 && is_jump(decoded.class);
        guarded = decoded.guards != 0 ? decoded.guards : guarded - (guarded != 0);
        if (i + 1 == count && (decoded.conditional || guarded_jump)) {
            block->conditional = 1;
            block->last = BRANCH_TAKEN;
        } else {
            count_class(block, &decoded, before);
        }
        if (block->instructions == 1)
            block->begins_in_load = decoded.class == LOAD;
        before = decoded.class;
        block->ends_in_load = before == LOAD;
    }
}

/* ---- Start ----------------------------------------------------------------------------------- */

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    strcpy(address.sun_path, path);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0 || connect(file, (const struct sockaddr *)&address, sizeof address) != 0)
        return -1;
    return file;
}

static int take_mark(enum mark mark, const char *text)
{
    if (mark_count == MARKS)
        return -1;
    marks[mark_count].address = strtoull(text, NULL, 0);
    marks[mark_count++].mark = mark;
    return 0;
}

static int take_part(const char *text)
{
    char *end;
    if (part_count == PARTS)
        return -1;
    parts[part_count].first = strtoull(text, &end, 0);
    if (*end != '-')
        return -1;
    parts[part_count++].end = strtoull(end + 1, NULL, 0);
    return 0;
}

static int take_argument(const char *text)
{
    static const struct { const char *key; enum mark mark; } known[] = {
        {"mark1=", BEGIN}, {"mark2=", END}, {"mark3=", WAIT},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(text, known[i].key, strlen(known[i].key)) == 0)
            return take_mark(known[i].mark, text + strlen(known[i].key));
    if (strncmp(text, "part=", 5) == 0)
        return take_part(text + 5);
    if (strncmp(text, "limit=", 6) == 0) {
        limit = strtoull(text + 6, NULL, 0);
        return 0;
    }
    if (strncmp(text, "report=", 7) == 0) {
        report = connect_to(text + 7);
        return report < 0 ? -1 : 0;
    }
    return -1;
}

int qemu_plugin_install(plugin_id id, const struct plugin_machine *machine, int count,
                        char **arguments)
{
    limit = UINT64_MAX;
    decode = decoder_of(machine->target_name);
    if (decode == NULL) {
        fprintf(stderr, "selo-qemu: knows no instructions of %s\n", machine->target_name);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (take_argument(arguments[i]) != 0) {
            fprintf(stderr, "selo-qemu: cannot use %s\n", arguments[i]);
            return -1;
        }
    }
    if (report < 0) {
        fputs("selo-qemu: report=SOCKET is missing\n", stderr);
        return -1;
    }
    say("ready selo-qemu " RUNNER_VERSION " target=%s\n", machine->target_name);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    if (machine->system_emulation)
        qemu_plugin_register_vcpu_idle_cb(id, on_idle);
    return 0;
}
