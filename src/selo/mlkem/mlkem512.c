/* ML-KEM-512 [FIPS203]. */
#define MLKEM_NAME(f) selo_mlkem512_##f
#define MLKEM_RANKS 2

#include "mlkem_body.inc"
