/* Bytes to slices and back (aes_sliced.h). */
#include "aes_sliced.h"

#if !SELO_AES_TABLES && !SELO_NATIVE_AES

/* Exchanges the bits of a that mask << by selects, and those of b that mask selects. */
#define EXCHANGE(a, b, by, mask) \
    do { \
        const uint32_t change = ((a) >> (by) ^ (b)) & (mask); \
        (b) ^= change; \
        (a) ^= change << (by); \
    } while (0)

void selo_aes_sliced_transpose(uint32_t q[8])
{
    uint32_t q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
    uint32_t q4 = q[4], q5 = q[5], q6 = q[6], q7 = q[7];

    EXCHANGE(q0, q1, 1, 0x55555555);
    EXCHANGE(q2, q3, 1, 0x55555555);
    EXCHANGE(q4, q5, 1, 0x55555555);
    EXCHANGE(q6, q7, 1, 0x55555555);
    EXCHANGE(q0, q2, 2, 0x33333333);
    EXCHANGE(q1, q3, 2, 0x33333333);
    EXCHANGE(q4, q6, 2, 0x33333333);
    EXCHANGE(q5, q7, 2, 0x33333333);
    EXCHANGE(q0, q4, 4, 0x0f0f0f0f);
    EXCHANGE(q1, q5, 4, 0x0f0f0f0f);
    EXCHANGE(q2, q6, 4, 0x0f0f0f0f);
    EXCHANGE(q3, q7, 4, 0x0f0f0f0f);
    q[0] = q0, q[1] = q1, q[2] = q2, q[3] = q3;
    q[4] = q4, q[5] = q5, q[6] = q6, q[7] = q7;
}

#endif
