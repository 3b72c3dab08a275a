// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of a memory that takes one cycle, for a core that wants each in the cycle after its
// request.
module next_cycle (
    input  logic        clk,
    input  logic        reset,
    input  logic        req,
    input  logic [31:0] rdata,
    output logic        rvalid,
    output logic [31:0] answer
);
    always_ff @(posedge clk) begin
        rvalid <= req && !reset;
        answer <= rdata;
    end
endmodule
