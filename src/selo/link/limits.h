/*
 * The times and limits of a node [docs/protocol.md]. Each can be set on the
 * command line. Times are in milliseconds.
 */
#ifndef SELO_LINK_LIMITS_H
#define SELO_LINK_LIMITS_H

#include <stdint.h>

/* Interval at which a pairing repeats its last frame, and time after which it fails. */
#ifndef SELO_LINK_PAIR_REPEAT
#define SELO_LINK_PAIR_REPEAT 4000
#endif
#ifndef SELO_LINK_PAIR_TIME
#define SELO_LINK_PAIR_TIME 600000
#endif

/* Transmissions of a frame that needs an answer, a JOIN-REQUEST or a confirmed payload, and the
 * wait after the first. The wait doubles with each further transmission. */
#ifndef SELO_LINK_TRANSMISSIONS
#define SELO_LINK_TRANSMISSIONS 4
#endif
#ifndef SELO_LINK_REPEAT
#define SELO_LINK_REPEAT 2000
#endif
/* Added to the first wait for each unit of the frame's last byte. */
#ifndef SELO_LINK_REPEAT_STEP
#define SELO_LINK_REPEAT_STEP 4
#endif

/* Longest wait after the first failed join, and the maximum number of times that it doubles. */
#ifndef SELO_LINK_JOIN_WAIT
#define SELO_LINK_JOIN_WAIT 15000
#endif
#ifndef SELO_LINK_JOIN_WAIT_DOUBLINGS
#define SELO_LINK_JOIN_WAIT_DOUBLINGS 6
#endif

/* Join counters that one write of the record reserves. */
#ifndef SELO_LINK_JOIN_RESERVE
#define SELO_LINK_JOIN_RESERVE 16
#endif

/* UP frames of one session before the node joins again. */
#ifndef SELO_LINK_SESSION_FRAMES
#define SELO_LINK_SESSION_FRAMES 131072
#endif
/* Failed tags before a session ends; at most 65,535. */
#ifndef SELO_LINK_SESSION_FORGERIES
#define SELO_LINK_SESSION_FORGERIES 32768
#endif

/* UP frames without any DOWN: the number at which each UP requests an acknowledgement, the number
 * that a hint sets, and the number at which the session is given up. */
#ifndef SELO_LINK_UNHEARD_ASK
#define SELO_LINK_UNHEARD_ASK 32
#endif
#ifndef SELO_LINK_UNHEARD_HINT
#define SELO_LINK_UNHEARD_HINT 37
#endif
#ifndef SELO_LINK_UNHEARD_LOST
#define SELO_LINK_UNHEARD_LOST 40
#endif

/* Minimum time between two acknowledgements of a repeated DOWN. */
#ifndef SELO_LINK_ACKNOWLEDGE_AGAIN
#define SELO_LINK_ACKNOWLEDGE_AGAIN 1000
#endif

/* 1: the node asks for tags of 16 bytes when it joins. */
#ifndef SELO_LINK_LONG_TAG
#define SELO_LINK_LONG_TAG 0
#endif

/* The types of the fields that count them. */
_Static_assert(SELO_LINK_PAIR_TIME / SELO_LINK_PAIR_REPEAT >= 1
                   && SELO_LINK_PAIR_TIME / SELO_LINK_PAIR_REPEAT <= 255,
               "node.sent counts the repetitions of a pairing");
_Static_assert(SELO_LINK_TRANSMISSIONS >= 1 && SELO_LINK_TRANSMISSIONS <= 8
                   && (SELO_LINK_REPEAT + 255ul * SELO_LINK_REPEAT_STEP)
                              << (SELO_LINK_TRANSMISSIONS - 1)
                          <= UINT16_MAX,
               "the wait after the last transmission is doubled so often and fits 16 bits");
_Static_assert(((uint64_t)SELO_LINK_JOIN_WAIT << SELO_LINK_JOIN_WAIT_DOUBLINGS) < 1L << 21,
               "half of the wait times 4,096 fits 32 bits");
_Static_assert(SELO_LINK_JOIN_RESERVE >= 1 && SELO_LINK_JOIN_RESERVE <= 255,
               "node.reserved counts them");
_Static_assert(SELO_LINK_SESSION_FORGERIES >= 1 && SELO_LINK_SESSION_FORGERIES <= 65535,
               "session.forged counts them");
_Static_assert(SELO_LINK_UNHEARD_HINT < SELO_LINK_UNHEARD_LOST && SELO_LINK_UNHEARD_LOST <= 255,
               "session.unheard counts them");

#endif
