/*
 * One session of a node: sealing UP, opening DOWN, the counters of both
 * [docs/protocol.md, data].
 */
#ifndef SELO_LINK_SESSION_H
#define SELO_LINK_SESSION_H

#include "../../selo.h"

/* Bytes before the ciphertext of a frame that begins with `first`, bytes of the tag. */
uint8_t selo_session_header_size(const struct selo_session *session, uint8_t first);
uint8_t selo_session_tag_size(const struct selo_session *session);

/* The longest payload of an UP, with room for an acknowledgement. */
uint8_t selo_session_room(const struct selo_session *session);

/*
 * Makes the next UP in frame and returns its size. flags are ACK-REQUEST and
 * ACK, in which case `acknowledge` stands before the payload. Returns 0 if the
 * counter is spent.
 */
uint8_t selo_session_seal(struct selo_session *session, uint8_t frame[SELO_LINK_FRAME_MAX],
                          uint8_t flags, uint16_t acknowledge, const void *payload, uint8_t size);

enum selo_session_verdict {
    SELO_SESSION_DROPPED, /* not of this session, malformed, or too old: nothing is known of it */
    SELO_SESSION_FORGED,  /* its tag is wrong */
    SELO_SESSION_REPEATED, /* genuine, accepted before */
    SELO_SESSION_ACCEPTED /* genuine and new; the plaintext stands behind the header */
};

/*
 * Judges a DOWN or DOWN-RESUMED of `size` bytes, opens it in place and moves the window. A frame
 * whose counter was seen is opened only if `repeats` is not 0 and it asks to be
 * acknowledged.
 */
enum selo_session_verdict selo_session_open(struct selo_session *session, uint8_t *frame,
                                            uint8_t size, uint8_t repeats);

#endif
