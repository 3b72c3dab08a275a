/*
 * The one key pair, apart from what makes it and what uses it.
 */
#include "rsa_textbook.h"

struct rsa_public_key rsa_public;
struct rsa_private_key rsa_private;
