#include <AESLib.h>

uint8_t key[16];
char data[] = "0123456789012345";

void setup()
{
    Serial.begin(57600);
    aes128_enc_single(key, data);
    Serial.print("encrypted:");
    Serial.println(data);
}

void loop() {}
