#include "Cipher.h"

Cipher::Cipher() {}
Cipher::~Cipher() {}
