#include "SimpleAES.h"
// CORE-PROGMEM

SimpleAES::SimpleAES(uint8_t *key)
{
  expand(key, 4, _schedule);
}

void SimpleAES::encrypt(uint8_t *data)
{
  forward(_schedule, 10, data);
}

void SimpleAES::decrypt(uint8_t *data)
{
  backward(_schedule, 10, data);
}
