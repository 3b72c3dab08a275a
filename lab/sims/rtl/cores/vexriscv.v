// SPDX-License-Identifier: GPL-3.0-or-later
// VexRiscv behind the ports of a simulated core (machine.h). Memory answers each transfer of its
// Wishbone buses within the cycle: a transfer takes one cycle.
//
// An instruction retires when it leaves the last stage.
module selo_core (
    input         clk,
    input         reset,
    input  [31:0] boot,

    output        instr_req,
    output [31:0] instr_addr,
    input  [31:0] instr_rdata,

    output        data_req,
    output        data_we,
    output [3:0]  data_be,
    output [31:0] data_addr,
    output [31:0] data_wdata,
    input  [31:0] data_rdata,

    output        retired,
    output [31:0] retired_pc,
    output [4:0]  written,
    output [31:0] written_value
);
    wire [29:0] instr_word, data_word;
    wire        instr_cyc, instr_stb, data_cyc, data_stb;

    assign instr_req  = instr_cyc & instr_stb;
    assign instr_addr = {instr_word, 2'b0};
    assign data_req   = data_cyc & data_stb;
    assign data_addr  = {data_word, 2'b0};

    assign retired       = core.lastStageIsFiring;
    assign retired_pc    = core.lastStagePc;
    assign written       = core.lastStageRegFileWrite_valid ? core.lastStageRegFileWrite_payload_address : 5'd0;
    assign written_value = core.lastStageRegFileWrite_payload_data;

    VexRiscv core (
        .clk (clk),
        .reset (reset),
        .externalResetVector (boot),
        .timerInterrupt (1'b0),
        .softwareInterrupt (1'b0),
        .externalInterruptArray (32'b0),

        .iBusWishbone_CYC (instr_cyc),
        .iBusWishbone_STB (instr_stb),
        .iBusWishbone_ACK (instr_req),
        .iBusWishbone_WE (),
        .iBusWishbone_ADR (instr_word),
        .iBusWishbone_DAT_MISO (instr_rdata),
        .iBusWishbone_DAT_MOSI (),
        .iBusWishbone_SEL (),
        .iBusWishbone_ERR (1'b0),
        .iBusWishbone_CTI (),
        .iBusWishbone_BTE (),

        .dBusWishbone_CYC (data_cyc),
        .dBusWishbone_STB (data_stb),
        .dBusWishbone_ACK (data_req),
        .dBusWishbone_WE (data_we),
        .dBusWishbone_ADR (data_word),
        .dBusWishbone_DAT_MISO (data_rdata),
        .dBusWishbone_DAT_MOSI (data_wdata),
        .dBusWishbone_SEL (data_be),
        .dBusWishbone_ERR (1'b0),
        .dBusWishbone_CTI (),
        .dBusWishbone_BTE ()
    );
endmodule
