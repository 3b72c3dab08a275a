#include <AES.h>

AES aes;

void setup() { Serial.begin(57600); }
void loop() { aes.iv_inc(); }
