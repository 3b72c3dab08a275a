/* liboqs's own header, at the place where its build copies it. */
#include "common/sha3/sha3x4.h"
