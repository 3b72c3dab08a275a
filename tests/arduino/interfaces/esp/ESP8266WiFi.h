/* ESP8266 calls it so. */
#include "WiFi.h"
