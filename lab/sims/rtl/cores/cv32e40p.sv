// SPDX-License-Identifier: GPL-3.0-or-later
// CV32E40P behind the ports of a simulated core (machine.h), without its floating-point unit and
// without the instructions of PULP.
//
// Its clock is never gated: the core stops it only while it sleeps, and a program here does not sleep.
// Memory answers each request in the next cycle. An instruction retires when it leaves the decode
// stage, as the core's own counter of retired instructions counts it.
module selo_core (
    input  logic        clk,
    input  logic        reset,
    input  logic [31:0] boot,

    output logic        instr_req,
    output logic [31:0] instr_addr,
    input  logic [31:0] instr_rdata,

    output logic        data_req,
    output logic        data_we,
    output logic [3:0]  data_be,
    output logic [31:0] data_addr,
    output logic [31:0] data_wdata,
    input  logic [31:0] data_rdata,

    output logic        retired,
    output logic [31:0] retired_pc,
    output logic [4:0]  written,
    output logic [31:0] written_value
);
    logic        instr_rvalid, data_rvalid;
    logic [31:0] instr_answer, data_answer;

    next_cycle instr (.clk, .reset, .req (instr_req), .rdata (instr_rdata), .rvalid (instr_rvalid), .answer (instr_answer));
    next_cycle data (.clk, .reset, .req (data_req), .rdata (data_rdata), .rvalid (data_rvalid), .answer (data_answer));

    assign retired    = core.id_stage_i.minstret;
    assign retired_pc = core.pc_id;
    // The stack pointer as the instruction in the decode stage finds it: the one before it may be
    // writing it.
    assign written       = 5'd2;
    assign written_value = core.regfile_alu_we_fw && core.regfile_alu_waddr_fw == 6'd2
        ? core.regfile_alu_wdata_fw : core.id_stage_i.register_file_i.mem[2];

    cv32e40p_core core (
        .clk_i (clk),
        .rst_ni (!reset),
        .pulp_clock_en_i (1'b1),
        .scan_cg_en_i (1'b0),
        .boot_addr_i (boot),
        .mtvec_addr_i (32'b0),
        .dm_halt_addr_i (32'b0),
        .hart_id_i (32'b0),
        .dm_exception_addr_i (32'b0),

        .instr_req_o (instr_req),
        .instr_gnt_i (1'b1),
        .instr_rvalid_i (instr_rvalid),
        .instr_addr_o (instr_addr),
        .instr_rdata_i (instr_answer),

        .data_req_o (data_req),
        .data_gnt_i (1'b1),
        .data_rvalid_i (data_rvalid),
        .data_we_o (data_we),
        .data_be_o (data_be),
        .data_addr_o (data_addr),
        .data_wdata_o (data_wdata),
        .data_rdata_i (data_answer),

        .apu_busy_o (),
        .apu_req_o (),
        .apu_gnt_i (1'b0),
        .apu_operands_o (),
        .apu_op_o (),
        .apu_flags_o (),
        .apu_rvalid_i (1'b0),
        .apu_result_i (32'b0),
        .apu_flags_i ('0),

        .irq_i (32'b0),
        .irq_ack_o (),
        .irq_id_o (),

        .debug_req_i (1'b0),
        .debug_havereset_o (),
        .debug_running_o (),
        .debug_halted_o (),
        .fetch_enable_i (1'b1),
        .core_sleep_o ()
    );
endmodule

module cv32e40p_clock_gate (
    input  logic clk_i,
    input  logic en_i,
    input  logic scan_cg_en_i,
    output logic clk_o
);
    assign clk_o = clk_i;
endmodule
