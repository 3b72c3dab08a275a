/* Arduino's own sources have a separate header for this class. */
#include "Arduino.h"
