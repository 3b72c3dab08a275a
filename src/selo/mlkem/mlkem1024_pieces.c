/* ML-KEM-1024 [FIPS203]: encapsulation in pieces, as mlkem1024.c. */
#define SELO_MLKEM_WIDE 1
#define MLKEM_NAME(f) selo_mlkem1024_##f
#define MLKEM_RANKS 4

#include "mlkem_pieces.c"
#include "mlkem_pieces_body.inc"
