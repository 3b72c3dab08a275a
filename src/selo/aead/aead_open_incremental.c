/* Opening in pieces with an algorithm chosen at run time. */
#include "../../selo.h"

enum selo_status selo_aead_open_start(struct selo_aead_opening *state,
                                      const struct selo_aead_pieces *pieces,
                                      const struct selo_aead_key *key,
                                      const struct selo_header *header, uint32_t size)
{
    enum selo_status status = SELO_ERROR_ARGUMENT;

    if (key->aead == pieces->aead) {
        status = pieces->open_start(state, key, header, size);
    }
    if (status != SELO_OK) {
        selo_wipe(state, sizeof *state);
        return status;
    }
    state->pieces = pieces;
    state->left = size;
    state->tag_size = (uint8_t)header->tag_size;
    return SELO_OK;
}

enum selo_status selo_aead_open_update(struct selo_aead_opening *state, uint8_t *out,
                                       const uint8_t *in, size_t size)
{
    enum selo_status status = SELO_ERROR_STATE;

    if (state->pieces != NULL) {
        status = size <= state->left ? state->pieces->open_update(state, out, in, size)
                                     : SELO_ERROR_ARGUMENT;
    }
    if (status != SELO_OK) {
        selo_wipe(state, sizeof *state);
        selo_wipe(out, size);
        return status;
    }
    state->left -= (uint32_t)size;
    return SELO_OK;
}

enum selo_status selo_aead_open_finish(struct selo_aead_opening *state, const uint8_t *tag)
{
    enum selo_status status = SELO_ERROR_STATE;

    if (state->pieces != NULL && state->left == 0) {
        status = state->pieces->open_finish(state, tag);
    }
    selo_wipe(state, sizeof *state);
    return status;
}
