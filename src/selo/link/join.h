/*
 * The computations of the two messages of a join [docs/protocol.md, join]. node_join.c decides
 * when they are sent.
 */
#ifndef SELO_LINK_JOIN_H
#define SELO_LINK_JOIN_H

#include "../../selo.h"

/* Makes JOIN-REQUEST in join->request. join->key holds the ephemeral secret. */
void selo_join_start(struct selo_join *join, uint32_t id, const uint8_t device_key[32],
                     uint32_t counter);

/*
 * Processes a JOIN-ACCEPT.
 * Returns: SELO_OK: `session` is the new session, and join is wiped. SELO_ERROR_TAG: the frame does
 * not answer this request or was altered; the true answer may still come. SELO_ERROR_KEY: the
 * attempt has failed. On an error, session is unchanged.
 * It takes one scalar multiplication for the first frame whose check is right, and none for any
 * other frame.
 */
enum selo_status selo_join_finish(struct selo_join *join, struct selo_session *session,
                                  uint8_t frame[58]);

#endif
