/* The footprint program as a part of a sketch. The core has its own main. */
#define main footprint_main
#include "../../footprint/main.c"
