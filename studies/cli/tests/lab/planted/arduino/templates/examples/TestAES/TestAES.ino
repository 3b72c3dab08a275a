#include <AES.h>
#include <CTR.h>

CTR<AES128> ctr;

void setup() { Serial.begin(9600); }
void loop() {}
