/* Frames of the link on a client's connection: each stands behind its size, a byte. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

/* 0, or -1: the other end is gone. */
int frames_send(const uint8_t *frame, uint8_t size);

/* Waits for one of at most `room` bytes: its size; 0: the other end is gone, or it is longer. */
uint8_t frames_receive(uint8_t *frame, uint8_t room);

#endif
