#include "BlockCipher.h"

BlockCipher::BlockCipher() {}
BlockCipher::~BlockCipher() {}
