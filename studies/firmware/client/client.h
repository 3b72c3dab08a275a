/* The common parts of the clients of `selo exchange`: the lines for the command that started them,
 * the bytes that they send and receive, their heap and stack (docs/researcher/exchange.md).
 *
 * A client reads the file `job`, and prints:
 *
 *   begin
 *   handshake wall=N processor=N sent=N received=N trips=N
 *   exchange ...
 *   memory heap=N stack=N
 *
 * or `failed fault=WORD number=N reason=WORDS`. The two parts are between marks, so that an emulator
 * can count their instructions. A client that resumed prints `resumed` after the handshake. It also
 * prints `session HEX` with the session for the next connection. This is a secret, which only the
 * command may read. */
#ifndef CLIENT_H
#define CLIENT_H

#include "mark.h"
#include "port.h"

/* Reports why the exchange failed: a word of `selo exchange` (studies/exchange/src/error.rs) and a
 * number of the library. Only the first call counts. */
void client_failed(const char *fault, const char *reason, long number);

/* Sends or receives bytes and counts them. Returns the number moved; 0: the peer is gone. */
size_t client_send(const void *data, size_t size);
size_t client_receive(void *data, size_t size);

/* Returns 0, or -1 if there is no randomness. */
int client_random(unsigned char *to, unsigned int size);

/* Begins and ends a part. */
void client_begin(void);
void client_end(const char *part);

/* Prints a line with `word` alone, or with bytes after it. */
void client_say(const char *word);
void client_say_bytes(const char *word, const unsigned char *bytes, size_t size);

/* Runs `perform` on painted stack and prints its use. Returns the client's exit code. */
int client_run(void (*perform)(void));

#endif
