/* The common parts of the nodes of the link and of the published protocol: frames on the client's
 * connection, each after its size, and an exchange of two parts. */
#ifndef NODE_H
#define NODE_H

#include <stddef.h>
#include <stdint.h>

enum { READING_BYTES = 16 };

/* Returns 0, or -1 if the peer is gone. */
int node_send(const uint8_t *frame, uint8_t size);

/* Waits for a frame of at most `room` bytes. Returns its size, or 0 if the peer is gone or the frame
 * is longer. */
uint8_t node_receive(uint8_t *frame, uint8_t room);

/* Counts the handshake, and then the sending of the reading. Each function returns NULL, or the
 * reason of its failure. */
void node_perform(const char *(*handshake)(void),
                  const char *(*exchange)(const uint8_t reading[READING_BYTES]));

#endif
