// SPDX-License-Identifier: GPL-3.0-or-later
// Ibex behind the ports of a simulated core (machine.h): its configuration comes from the board file
// as CFG_ macros, named like the parameters in Ibex's ibex_configs.yaml. What a board does not name is
// left out of the core.
//
// Memory answers each request in the next cycle, with the check bits that a secure Ibex wants. The key
// that scrambles its instruction cache is there at once. Instructions retire on Ibex's RVFI ports.
`ifndef CFG_ICacheECC
`define CFG_ICacheECC 0
`endif
`ifndef CFG_ICacheScramble
`define CFG_ICacheScramble 0
`endif
`ifndef CFG_SecureIbex
`define CFG_SecureIbex 0
`endif
`ifndef CFG_PMPEnable
`define CFG_PMPEnable 0
`endif
`ifndef CFG_PMPNumRegions
`define CFG_PMPNumRegions 4
`endif
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
    logic [38:0] instr_checked, data_checked;

    assign instr_checked = prim_secded_pkg::prim_secded_inv_39_32_enc(instr_answer);
    assign data_checked  = prim_secded_pkg::prim_secded_inv_39_32_enc(data_answer);

    next_cycle instr (.clk, .reset, .req (instr_req), .rdata (instr_rdata), .rvalid (instr_rvalid), .answer (instr_answer));
    next_cycle data (.clk, .reset, .req (data_req), .rdata (data_rdata), .rvalid (data_rvalid), .answer (data_answer));

    ibex_top #(
        .RV32E           (`CFG_RV32E),
        .RV32M           (`CFG_RV32M),
        .RV32B           (`CFG_RV32B),
        .RegFile         (`CFG_RegFile),
        .BranchTargetALU (`CFG_BranchTargetALU),
        .WritebackStage  (`CFG_WritebackStage),
        .ICache          (`CFG_ICache),
        .BranchPredictor (`CFG_BranchPredictor),
        .ICacheECC       (`CFG_ICacheECC),
        .ICacheScramble  (`CFG_ICacheScramble),
        .SecureIbex      (`CFG_SecureIbex),
        .PMPEnable       (`CFG_PMPEnable),
        .PMPNumRegions   (`CFG_PMPNumRegions)
    ) core (
        .clk_i (clk),
        .rst_ni (!reset),
        .test_en_i (1'b0),
        .ram_cfg_i ('0),
        .hart_id_i (32'b0),
        // Ibex starts 0x80 after this address, which it aligns to 256 bytes.
        .boot_addr_i ({boot[31:8], 8'b0}),

        .instr_req_o (instr_req),
        .instr_gnt_i (1'b1),
        .instr_rvalid_i (instr_rvalid),
        .instr_addr_o (instr_addr),
        .instr_rdata_i (instr_answer),
        .instr_rdata_intg_i (instr_checked[38:32]),
        .instr_err_i (1'b0),

        .data_req_o (data_req),
        .data_gnt_i (1'b1),
        .data_rvalid_i (data_rvalid),
        .data_we_o (data_we),
        .data_be_o (data_be),
        .data_addr_o (data_addr),
        .data_wdata_o (data_wdata),
        .data_wdata_intg_o (),
        .data_rdata_i (data_answer),
        .data_rdata_intg_i (data_checked[38:32]),
        .data_err_i (1'b0),

        .irq_software_i (1'b0),
        .irq_timer_i (1'b0),
        .irq_external_i (1'b0),
        .irq_fast_i ('0),
        .irq_nm_i (1'b0),
        .scramble_key_valid_i (1'b1),
        .scramble_key_i ('0),
        .scramble_nonce_i ('0),
        .scramble_req_o (),
        .debug_req_i (1'b0),
        .crash_dump_o (),
        .double_fault_seen_o (),

        .rvfi_valid (retired),
        .rvfi_pc_rdata (retired_pc),
        .rvfi_rd_addr (written),
        .rvfi_rd_wdata (written_value),

        .fetch_enable_i (ibex_pkg::IbexMuBiOn),
        .alert_minor_o (),
        .alert_major_internal_o (),
        .alert_major_bus_o (),
        .core_sleep_o (),
        .scan_rst_ni (1'b1)
    );
endmodule
