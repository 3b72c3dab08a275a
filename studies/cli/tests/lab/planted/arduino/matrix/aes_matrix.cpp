#include "aes_matrix.h"
// CORE

static void turn(uint8_t state[4][4])
{
  for (uint8_t row = 0; row < 4; row++)
    for (uint8_t column = 0; column < row; column++) {
      uint8_t keep = state[row][column];
      state[row][column] = state[column][row];
      state[column][row] = keep;
    }
}

void aes_encrypt_state(uint8_t state[4][4], const uint8_t key[16])
{
  uint8_t keys[176];
  expand(key, 4, keys);
  turn(state);
  forward(keys, 10, state[0]);
  turn(state);
}

void aes_decrypt_state(uint8_t state[4][4], const uint8_t key[16])
{
  uint8_t keys[176];
  expand(key, 4, keys);
  turn(state);
  backward(keys, 10, state[0]);
  turn(state);
}
