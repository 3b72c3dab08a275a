/* The steps of the first part, and what each carries [docs/protocol.md, hybrid pairing]. */
#include <string.h>

#include "frame.h"
#include "opening.h"

#if SELO_LINK_HYBRID

#include "../common/compiler.h"
#include "../mlkem/mlkem_pieces.h"
#include "../noise/suite.h"

_Static_assert(SELO_LINK_HYBRID == 512 || SELO_LINK_HYBRID == 768,
               "SELO_LINK_HYBRID is 0, 512 or 768, as in ML-KEM-512");

enum { MARK = 1, STEP = MARK + 4, PIECE = SELO_FRAME_PAIR_PIECE_SIZE };
enum { OPEN_ID = MARK + 4, OPEN_SUITE = OPEN_ID + 4, OPEN_KEM = OPEN_SUITE + 1 };

enum {
    RANKS = SELO_LINK_HYBRID == 512 ? 2 : 3,
    PIECE_BYTES = SELO_LINK_FRAME_MAX - PIECE, /* of a whole piece */
    U_BYTES = 320 * RANKS,
    T_BYTES = 384 * RANKS,
    V_BYTES = 128
};
#define PIECES(bytes) (((bytes) + PIECE_BYTES - 1) / PIECE_BYTES)

/* The step with the hash of the key, that with rho, and the first steps of u, t and v. */
enum {
    KEY_HASH,
    RHO,
    FIRST_U,
    FIRST_T = FIRST_U + PIECES(U_BYTES),
    FIRST_V = FIRST_T + PIECES(T_BYTES),
    END = FIRST_V + PIECES(V_BYTES)
};

/* Size of piece `i` of `bytes` bytes. */
static uint8_t piece_of(uint16_t bytes, uint8_t i)
{
    const uint16_t left = (uint16_t)(bytes - (uint16_t)PIECE_BYTES * i);
    return left < PIECE_BYTES ? (uint8_t)left : PIECE_BYTES;
}

/* Size of the piece that the node sends in a step. */
static uint8_t own_size(uint8_t step)
{
    if (step >= FIRST_V) {
        return piece_of(V_BYTES, (uint8_t)(step - FIRST_V));
    }
    return step >= FIRST_U && step < FIRST_T ? piece_of(U_BYTES, (uint8_t)(step - FIRST_U)) : 0;
}

/* Size of the piece that the gateway answers. */
static uint8_t answer_size(uint8_t step)
{
    if (step < FIRST_U) {
        return 32;
    }
    return step >= FIRST_T && step < FIRST_V ? piece_of(T_BYTES, (uint8_t)(step - FIRST_T)) : 0;
}

/* The state of the hash is in the workspace, because the stack has no room for it beside the
 * workspace. */
static void add_to_h(struct selo_opening *opening, struct selo_node_workspace *workspace,
                     const uint8_t *frame, uint8_t size)
{
    struct selo_suite_hash *hash = (struct selo_suite_hash *)&workspace->of.hash;

    selo_suite_start(hash);
    selo_suite_update(hash, opening->h, 32);
    selo_suite_update(hash, frame, size);
    selo_suite_finish(hash, opening->h);
}

void selo_opening_start(struct selo_opening *opening, uint32_t id)
{
    uint8_t *frame = opening->frame;

    memset(opening->h, 0, sizeof opening->h);
    frame[0] = SELO_FRAME_PAIR_OPEN;
    selo_link_put(frame + OPEN_ID, id, 4);
    frame[OPEN_SUITE] = SELO_LINK_SUITE;
    frame[OPEN_KEM] = SELO_FRAME_KEM;
    opening->size = SELO_FRAME_PAIR_OPEN_SIZE;
    opening->step = KEY_HASH;
    selo_suite_digest(opening->h, opening->h, frame, opening->size);
}

uint8_t selo_opening_expects(const struct selo_opening *opening, const uint8_t *frame, uint8_t size)
{
    return size == PIECE + answer_size(opening->step) && frame[STEP] == opening->step
           && memcmp(frame + MARK, opening->frame + MARK, 4) == 0;
}

uint8_t selo_opening_is_complete(const struct selo_opening *opening)
{
    return opening->step == END;
}

/* Makes the PAIR-STEP of opening->step. */
static enum selo_status make_step(struct selo_opening *opening,
                                  struct selo_node_workspace *workspace)
{
    uint8_t *frame = opening->frame;
    const uint8_t size = own_size(opening->step);
    enum selo_status status = SELO_OK;

    frame[0] = SELO_FRAME_PAIR_STEP;
    frame[STEP] = opening->step;
    opening->size = (uint8_t)(PIECE + size);
    if (size != 0) {
        status = selo_mlkem_pieces_read(&workspace->of.encapsulation, &opening->sponge, frame + PIECE,
                                        size, RANKS);
        add_to_h(opening, workspace, frame, opening->size);
    }
    return status;
}

enum selo_status selo_opening_take(struct selo_opening *opening,
                                   struct selo_node_workspace *workspace, const uint8_t *frame,
                                   uint8_t size)
{
    struct selo_mlkem_encapsulation *encapsulation = &workspace->of.encapsulation;
    enum selo_status status = SELO_OK;

    if (opening->step == KEY_HASH) {
        memcpy(encapsulation->key_hash, frame + PIECE, 32); /* behind the area */
        add_to_h(opening, workspace, frame, size);
    } else if (opening->step == RHO) {
        memcpy(encapsulation->rho, frame + PIECE, 32);
        memcpy(encapsulation->message, opening->secret, 32);
        selo_mlkem_pieces_start_hashed(encapsulation, &opening->sponge);
    } else if (size != PIECE) {
        status = selo_mlkem_pieces_key(encapsulation, &opening->sponge, frame + PIECE,
                                       (uint8_t)(size - PIECE), RANKS);
        if (status == SELO_OK && opening->step == FIRST_V - 1) {
            status = selo_mlkem_pieces_key(encapsulation, &opening->sponge, encapsulation->rho, 32,
                                           RANKS);
        }
    }
    opening->step++;
    if (status == SELO_OK && opening->step != END) {
        return make_step(opening, workspace);
    }
    if (status == SELO_OK) {
        status = selo_mlkem_pieces_finish(encapsulation, &opening->sponge, opening->secret);
    }
    return status;
}

#else
typedef int selo_opening_is_empty; /* ISO C does not permit an empty file */
#endif
