/* What a TLS library has to do for client.c. */
#ifndef TLS_CLIENT_BACKEND_H
#define TLS_CLIENT_BACKEND_H

#include <stddef.h>

struct job {
    /* The name in the certificate; suite and key exchange by their registered names. */
    const char *host, *suite, *group;
    /* The authorities' certificates in DER, one after the other. */
    const unsigned char *authorities;
    size_t authorities_bytes;
};

struct backend {
    /* Shakes hands as a client of TLS 1.3 that offers the job's suite and key exchange and no
     * other, and verifies the server. 0, or -1 after failed(). */
    int (*handshake)(const struct job *job);
    int (*write)(const char *data, size_t size);
    /* Bytes read; 0 at the end, negative for an error. */
    int (*read)(char *data, size_t size);
    void (*close)(void);
};

extern const struct backend backend;

/* Says why the exchange failed: a word of `selo exchange` for it (crates/exchange/src/error.rs),
 * and the library's number. Only the first counts. */
void tls_client_failed(const char *fault, const char *reason, long number);

/* One certificate of the job's; 0 at the end. Moves `*at` behind it. */
size_t tls_client_authority(const struct job *job, size_t *at, const unsigned char **der);

/* What the socket carries is counted here: bytes moved; 0: the other end is gone. */
size_t tls_client_send(const void *data, size_t size);
size_t tls_client_receive(void *data, size_t size);

#endif
