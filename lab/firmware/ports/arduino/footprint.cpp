// What a core calls of a sketch; see footprint.c.
#include <Arduino.h>

extern "C" int footprint_main(void);

void setup()
{
    footprint_main();
}

void loop()
{
}
