/* The name of Arduino.h before 2011. */
#include <Arduino.h>
