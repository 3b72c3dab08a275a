/*
 * The only key pair, in a file of its own.
 */
#include "rsa_textbook.h"

struct rsa_public_key rsa_public;
struct rsa_private_key rsa_private;
