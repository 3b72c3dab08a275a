/* The class alone has a header in Arduino's own sources. */
#include "Arduino.h"
