/* SubBytes in slices, without the constant of the affine map (aes_sliced.h). */
#include "aes_sliced.h"

#if !SELO_AES_TABLES && !SELO_NATIVE_AES

void selo_aes_sliced_substitute(uint32_t q[8])
{
#define WORD uint32_t
#define BIT(place) q[7 - (place)]
#include "aes_circuit.inc"
#undef BIT
#undef WORD
}

#endif
