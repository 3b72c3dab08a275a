/*
 * The end of a program, for libraries that end it where they have no memory. Some chips' C libraries leave
 * that to the program. Include it in one file.
 */
#ifndef AGENT_PROGRAM_END_H
#define AGENT_PROGRAM_END_H

#if defined(__riscv) || defined(__XTENSA__)
void _exit(int code);
void __attribute__((weak)) _exit(int code)
{
    (void)code;
    for (;;)
        ;
}
#endif

#endif
