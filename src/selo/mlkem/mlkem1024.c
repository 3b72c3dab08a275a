/*
 * ML-KEM-1024 [FIPS203]. The sources below are those of the other sizes, with the names of
 * mlkem_wide.inc.
 */
#define SELO_MLKEM_WIDE 1
#define MLKEM_NAME(f) selo_mlkem1024_##f
#define MLKEM_RANKS 4

#include "mlkem_encrypt.c"
#include "mlkem_encapsulate.c"
#include "mlkem_decapsulate.c"
#include "mlkem_body.inc"
