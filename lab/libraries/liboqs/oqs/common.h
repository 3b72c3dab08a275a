/*
 * liboqs's own header, at the place where its build copies it. A chip has no standard error, so a library
 * without memory ends the program and prints nothing.
 */
#ifndef LAB_OQS_COMMON_H
#define LAB_OQS_COMMON_H

#include "common/common.h"

#undef OQS_EXIT_IF_NULLPTR
#define OQS_EXIT_IF_NULLPTR(pointer, place)                                                            \
    do {                                                                                               \
        if (!(pointer))                                                                                \
            exit(EXIT_FAILURE);                                                                        \
    } while (0)

#endif
