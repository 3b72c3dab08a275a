/* The weighing program as a part of a sketch, whose core has the main of its own. */
#define main footprint_main
#include "../../footprint/main.c"
