/*
 * common/compat.h of PQClean takes the compiler's version from this header of the GNU C library. A
 * chip's C library lacks it.
 */
#if __has_include_next(<features.h>)
#include_next <features.h>
#endif
#ifndef __GNUC_PREREQ
#define __GNUC_PREREQ(major, minor) (__GNUC__ > (major) || (__GNUC__ == (major) && __GNUC_MINOR__ >= (minor)))
#endif
