/*
 * One session of a node: it seals UP, opens DOWN, and has the counters of both
 * [docs/protocol.md, data].
 */
#ifndef SELO_LINK_SESSION_H
#define SELO_LINK_SESSION_H

#include "../../selo.h"

/* Sizes of the header of a frame that begins with `first`, and of a tag. */
uint8_t selo_session_header_size(const struct selo_session *session, uint8_t first);
uint8_t selo_session_tag_size(const struct selo_session *session);

/* The longest payload of an UP, with room for an acknowledgement. */
uint8_t selo_session_room(const struct selo_session *session);

/*
 * Makes the next UP in frame and returns its size, or 0 if the counters are exhausted. flags are
 * ACK-REQUEST and ACK. With ACK, the frame has `acknowledge` before the payload.
 */
uint8_t selo_session_seal(struct selo_session *session, uint8_t frame[SELO_LINK_FRAME_MAX],
                          uint8_t flags, uint16_t acknowledge, const void *payload, uint8_t size);

enum selo_session_verdict {
    SELO_SESSION_DROPPED, /* of another session, malformed, or too old to judge */
    SELO_SESSION_FORGED,  /* its tag is wrong */
    SELO_SESSION_REPEATED, /* genuine, accepted before */
    SELO_SESSION_ACCEPTED /* genuine and new; the plaintext follows the header */
};

/*
 * Verifies a DOWN or DOWN-RESUMED of `size` bytes, decrypts it in place and moves the window.
 * A frame whose counter was seen is opened only if `repeats` is not 0 and the frame requests an
 * acknowledgement.
 */
enum selo_session_verdict selo_session_open(struct selo_session *session, uint8_t *frame,
                                            uint8_t size, uint8_t repeats);

#endif
