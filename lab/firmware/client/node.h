/* What nodes of the link and of the published protocol have in common: frames on the client's
 * connection, each behind its size, and an exchange of two parts. */
#ifndef NODE_H
#define NODE_H

#include <stddef.h>
#include <stdint.h>

enum { READING_BYTES = 16 };

/* 0, or -1: the other end is gone. */
int node_send(const uint8_t *frame, uint8_t size);

/* Waits for one of at most `room` bytes: its size; 0: the other end is gone, or it is longer. */
uint8_t node_receive(uint8_t *frame, uint8_t room);

/* Counts the handshake, and then what sends the reading. Each gives NULL, or what went wrong. */
void node_perform(const char *(*handshake)(void),
                  const char *(*exchange)(const uint8_t reading[READING_BYTES]));

#endif
