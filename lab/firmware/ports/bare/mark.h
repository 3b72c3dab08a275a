/* A mark for a runner that watches addresses: a NOP whose address is in a section that is not loaded
 * (lab/sims/qemu). */
#ifndef SELO_AGENT_MARK_H
#define SELO_AGENT_MARK_H

#if __SIZEOF_POINTER__ == 8
#define PORT_MARK_ADDRESS ".8byte"
#else
#define PORT_MARK_ADDRESS ".4byte"
#endif

#define PORT_MARK(value)                                                     \
    __asm__ __volatile__("0: nop\n\t"                                        \
                         ".pushsection .selo.mark" #value ",\"R\"\n\t"       \
                         PORT_MARK_ADDRESS " 0b\n\t"                         \
                         ".popsection"                                       \
                         : : : "memory")

#endif
