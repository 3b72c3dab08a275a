// The functions that a core calls in a sketch; see footprint.c.
#include <Arduino.h>

extern "C" int footprint_main(void);

void setup()
{
    footprint_main();
}

void loop()
{
}
