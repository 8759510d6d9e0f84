# Written by scripts/gen/generate; do not edit.
# Constraints of tpu_core for synthesis and static timing analysis. Before it is read, clock_ns may be set, the period;
# a port may take the fraction port_share of it outside the core. There is one clock; the gates of tpu_clock_gate pass
# it on. The reset is synchronous and is timed as any input. No path is false and none takes several cycles.
if {![info exists clock_ns]} { set clock_ns 10.0 }
if {![info exists port_share]} { set port_share 0.4 }
create_clock -name clk -period $clock_ns [get_ports clk_i]
set outside [expr {$port_share * $clock_ns}]
set_input_delay $outside -clock clk [get_ports {rst_ni test_en_i s_axil_*_i m_axi_*_i}]
set_output_delay $outside -clock clk [get_ports {irq_o s_axil_*_o m_axi_*_o}]
