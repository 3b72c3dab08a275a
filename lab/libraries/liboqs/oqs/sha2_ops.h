/* liboqs's own header, at the place where its build copies it. */
#include "common/sha2/sha2_ops.h"
