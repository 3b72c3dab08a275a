#ifndef SECURE_NODE_H
#define SECURE_NODE_H

#include <Arduino.h>

// AES-128 in CBC mode: the key is in the EEPROM, and every message has a random IV in front.
class SecureNode
{
  public:
    void begin(int address);
    void storeKey(const byte *key);
    // Writes the IV and the padded ciphertext, and returns their size.
    int encrypt(const byte *message, int length, byte *output);
    int decrypt(const byte *input, int length, byte *message);
    void dump(Print &to);

  private:
    void loadKey();
    int _address;
    byte _keys[176];
};

#endif
