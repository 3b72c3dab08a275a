/* liboqs's own header, at the place where its build copies it. */
#include "common/rand/rand.h"
