/* liboqs's own header, at the place where its build copies it. */
#include "common/aes/aes_ops.h"
