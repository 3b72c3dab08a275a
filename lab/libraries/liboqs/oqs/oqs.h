/* The whole of liboqs for its user. Its hash functions need the common part only. */
#include <oqs/common.h>
