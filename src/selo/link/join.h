/*
 * The two messages of a join, as computations; when they are sent is
 * node_join.c's [docs/protocol.md, join].
 */
#ifndef SELO_LINK_JOIN_H
#define SELO_LINK_JOIN_H

#include "../../selo.h"

/* Makes JOIN-REQUEST in join->request. join->key holds the ephemeral secret. */
void selo_join_start(struct selo_join *join, uint32_t id, const uint8_t device_key[32],
                     uint32_t counter);

/*
 * Takes a JOIN-ACCEPT. SELO_OK: `session` is a new session, and join is wiped.
 * SELO_ERROR_TAG: not an answer to this request, or altered; the true one may
 * still come. SELO_ERROR_KEY: the attempt has ended. Otherwise session is left
 * alone. Takes one scalar multiplication for the first frame whose check is
 * right, and none for any other.
 */
enum selo_status selo_join_finish(struct selo_join *join, struct selo_session *session,
                                  uint8_t frame[58]);

#endif
