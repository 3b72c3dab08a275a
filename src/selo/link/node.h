/*
 * struct selo_node, for whoever reserves the memory. Only what is marked public
 * may be read from outside; selo.h includes this file.
 */
#ifndef SELO_LINK_NODE_H
#define SELO_LINK_NODE_H

#include <stdint.h>

struct selo_hal;

struct selo_node {
    const struct selo_hal *hal;
    uint8_t received[43];  /* public: the payload of SELO_NODE_RECEIVED */
    uint8_t received_size; /* public */
};

#endif
