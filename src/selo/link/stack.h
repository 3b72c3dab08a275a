/*
 * SELO_STACK_APART: the function is not inlined. A compiler reserves what a
 * function and everything inlined into it keep on the stack when it is entered;
 * apart, a hash state is gone before a scalar multiplication begins, and the
 * deepest stack of a join is that of X25519 and little more.
 */
#ifndef SELO_LINK_STACK_H
#define SELO_LINK_STACK_H

#ifdef __GNUC__
#define SELO_STACK_APART __attribute__((noinline))
#else
#define SELO_STACK_APART
#endif

#endif
