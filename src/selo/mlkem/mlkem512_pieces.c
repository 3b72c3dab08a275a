/* ML-KEM-512 [FIPS203]: encapsulation in pieces. */
#define MLKEM_NAME(f) selo_mlkem512_##f
#define MLKEM_RANKS 2

#include "mlkem_pieces_body.inc"
