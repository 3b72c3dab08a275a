/* What clients of `selo exchange` have in common: lines for the command that started them, the
 * bytes that they move, their heap and stack (docs/researcher/exchange.md).
 *
 * A client reads the file `job`, and says:
 *
 *   begin
 *   handshake wall=N processor=N sent=N received=N trips=N
 *   exchange ...
 *   memory heap=N stack=N
 *
 * or `failed fault=WORD number=N reason=WORDS`. The two parts stand between marks, so that who
 * emulates the machine counts their instructions. A client that resumes says `resumed` behind
 * the handshake if it did, and `session HEX` with what the next connection needs: a secret, for
 * no other eyes than the command's. */
#ifndef CLIENT_H
#define CLIENT_H

#include "mark.h"
#include "port.h"

/* Says why the exchange failed: a word of `selo exchange` for it (studies/exchange/src/error.rs),
 * and a number of the library. Only the first counts. */
void client_failed(const char *fault, const char *reason, long number);

/* What the connection carries is counted here: bytes moved; 0: the other end is gone. */
size_t client_send(const void *data, size_t size);
size_t client_receive(void *data, size_t size);

/* 0, or -1: no randomness. */
int client_random(unsigned char *to, unsigned int size);

/* Begin and end of a part. */
void client_begin(void);
void client_end(const char *part);

/* A line of `word` alone, and one with bytes behind it. */
void client_say(const char *word);
void client_say_bytes(const char *word, const unsigned char *bytes, size_t size);

/* Runs `perform` on painted stack, says what it took; the client's exit code. */
int client_run(void (*perform)(void));

#endif
