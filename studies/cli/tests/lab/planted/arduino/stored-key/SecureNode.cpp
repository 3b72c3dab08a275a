#include "SecureNode.h"
#include <EEPROM.h>
#include <avr/boot.h>
#include <avr/wdt.h>
// CORE-PROGMEM

static volatile byte ticks;

#ifdef __AVR__
ISR(TIMER2_OVF_vect)
{
  ticks++;
}
#endif

void SecureNode::begin(int address)
{
  _address = address;
  randomSeed(analogRead(A0));
  loadKey();
}

void SecureNode::storeKey(const byte *key)
{
  for (byte i = 0; i < 16; i++)
    EEPROM.update(_address + i, key[i]);
  loadKey();
}

void SecureNode::loadKey()
{
  byte key[16];
  for (byte i = 0; i < 16; i++)
    key[i] = EEPROM.read(_address + i);
  expand(key, 4, _keys);
}

int SecureNode::encrypt(const byte *message, int length, byte *output)
{
  byte *last = output;
  for (byte i = 0; i < 16; i++)
    output[i] = random(256);
  int size = (length / 16 + 1) * 16;
  for (int at = 0; at < size; at += 16) {
    byte *block = output + 16 + at;
    for (byte i = 0; i < 16; i++)
      block[i] = at + i < length ? message[at + i] : 16 - length % 16;
    add(block, last);
    forward(_keys, 10, block);
    last = block;
  }
  return 16 + size;
}

int SecureNode::decrypt(const byte *input, int length, byte *message)
{
  for (int at = 16; at < length; at += 16) {
    memcpy(message + at - 16, input + at, 16);
    backward(_keys, 10, message + at - 16);
    add(message + at - 16, input + at - 16);
  }
  return length - 16 - message[length - 17];
}

void SecureNode::dump(Print &to)
{
  for (byte i = 0; i < 16; i++)
    to.print(_keys[i], HEX);
  to.println();
}
