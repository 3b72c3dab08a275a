#include "aes.h"
// CORE

// In no header, but not static.
void addRoundKey(unsigned char* buf, unsigned char* key) {
	for (unsigned char i = 0; i < 16; i++)
		buf[i] ^= key[i];
}

void expandEncKey(unsigned char* key, unsigned char* rc) {
	key[0] ^= *rc;
	*rc = twice(*rc);
}

void AES::reset() {
	expand(key, 8, keys);
	used = 16;
}

unsigned char AES::next() {
	if (used == 16) {
		memcpy(stream, counter, 16);
		forward(keys, 14, stream);
		for (unsigned char i = 16; i > 0 && ++counter[i - 1] == 0; i--)
			;
		used = 0;
	}
	return stream[used++];
}

void AES::process(unsigned char* buffer) { *buffer ^= next(); }
