/*
 * The functions of QEMU's plugin interface, version 1, that the plugin calls. Debian has
 * no header for it. QEMU resolves the names when it loads the plugin.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_QEMU_API_H
#define SELO_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLUGIN_INTERFACE = 1 };
enum plugin_registers { PLUGIN_NO_REGISTERS = 0 };

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct plugin_machine {
    const char *target_name;
    struct { int least, current; } version;
    bool system_emulation;
    union { struct { int cpus, most_cpus; } system; } of;
};

typedef void plugin_on_translation(plugin_id id, struct qemu_plugin_tb *block);
typedef void plugin_on_cpu(plugin_id id, unsigned cpu);
typedef void plugin_on_execution(unsigned cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, plugin_on_translation *callback);
void qemu_plugin_register_vcpu_idle_cb(plugin_id id, plugin_on_cpu *callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *at,
                                            plugin_on_execution *callback,
                                            enum plugin_registers registers, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t number);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);

#endif
