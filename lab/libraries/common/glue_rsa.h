/*
 * The parameters of RSA that every library is measured with.
 */
#ifndef GLUE_RSA_H
#define GLUE_RSA_H

#define GLUE_EXPONENT 65537L

enum { GLUE_MODULUS = 256, GLUE_RSA_BITS = 2048 };

#endif
