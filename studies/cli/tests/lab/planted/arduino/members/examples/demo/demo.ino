#include <aes.h>

AES aes;

void setup()
{
	Serial.begin(57600);
	aes.reset();
}

void loop()
{
	if (Serial.available()) {
		unsigned char byte = Serial.read();
		aes.process(&byte);
		Serial.write(byte);
	}
}
