// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program on a core in a Verilog simulator, with a memory of its own, and prints the spans as
// the runner does. The gate compares both.
//
// +image=FILE  the program's words, from address +base=ADDRESS
// +marks=FILE  for each word of the program 1 or 2 if a mark is there (or at its second half), else 0
// +spans=N     the number of spans after which the program has ended
`timescale 1ns / 1ns
module bench;
    localparam WORDS = 2 * 1024 * 1024;

    reg         clk = 0, reset = 1;
    reg  [31:0] memory [0:WORDS - 1];
    reg  [7:0]  marks [0:WORDS - 1];
    reg  [31:0] base, cycle = 0, instructions = 0, begun, begun_instructions;
    integer     spans, i;
    reg  [1023:0] name;

    wire        instr_req, data_req, data_we, retired;
    wire [31:0] instr_addr, data_addr, data_wdata, retired_pc;
    wire [3:0]  data_be;
    wire [31:0] instr_at = (instr_addr - base) >> 2;
    wire [31:0] data_at = (data_addr - base) >> 2;
    wire [7:0]  mark = marks[(retired_pc - base) >> 2];

    selo_core dut (
        .clk (clk), .reset (reset), .boot (base),
        .instr_req (instr_req), .instr_addr (instr_addr), .instr_rdata (memory[instr_at]),
        .data_req (data_req), .data_we (data_we), .data_be (data_be), .data_addr (data_addr),
        .data_wdata (data_wdata), .data_rdata (memory[data_at]),
        .retired (retired), .retired_pc (retired_pc), .written (), .written_value ()
    );

    always #1 clk = !clk;

    always @(posedge clk) begin
        if (data_req && data_we)
            for (i = 0; i < 4; i = i + 1)
                if (data_be[i])
                    memory[data_at][8 * i +: 8] <= data_wdata[8 * i +: 8];
        if (!reset)
            cycle <= cycle + 1;
        if (retired && !reset) begin
            instructions <= instructions + 1;
            if (mark == 1) begin
                begun <= cycle;
                begun_instructions <= instructions;
            end
            if (mark == 2) begin
                $display("span cycles=%0d instructions=%0d", cycle - begun, instructions - begun_instructions);
                spans = spans - 1;
                if (spans == 0)
                    $finish;
            end
        end
    end

    initial begin
        for (i = 0; i < WORDS; i = i + 1) begin
            memory[i] = 0;
            marks[i] = 0;
        end
        i = $value$plusargs("base=%h", base);
        i = $value$plusargs("spans=%d", spans);
        if ($value$plusargs("image=%s", name))
            $readmemh(name, memory);
        if ($value$plusargs("marks=%s", name))
            $readmemh(name, marks);
        repeat (8) @(posedge clk);
        #1 reset = 0;
    end
endmodule
