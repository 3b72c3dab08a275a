/* ML-KEM-768 [FIPS203]: encapsulation in pieces. */
#define MLKEM_NAME(f) selo_mlkem768_##f
#define MLKEM_RANKS 3

#include "mlkem_pieces_body.inc"
