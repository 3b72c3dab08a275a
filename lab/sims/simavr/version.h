/*
 * Selo simavr runner: its name and version. The simulator's version is part of it, because
 * the figures depend on the simulator.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_VERSION_H
#define SELO_SIMAVR_VERSION_H

#include <simavr/sim_core_config.h>

#define RUNNER_NAME "selo-simavr"
#define RUNNER_VERSION "0.3.1+simavr-" CONFIG_SIMAVR_VERSION

#endif
