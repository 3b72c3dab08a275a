/* What a TLS library has to do for tls.c. */
#ifndef TLS_CLIENT_BACKEND_H
#define TLS_CLIENT_BACKEND_H

#include "client.h"

struct job {
    /* The name in the certificate; suite and key exchange by their registered names. */
    const char *host, *suite, *group;
    /* The authorities' certificates in DER, one after the other. */
    const unsigned char *authorities;
    size_t authorities_bytes;
};

struct backend {
    /* Shakes hands as a client of TLS 1.3 that offers the job's suite and key exchange and no
     * other, and verifies the server. 0, or -1 after client_failed(). */
    int (*handshake)(const struct job *job);
    int (*write)(const char *data, size_t size);
    /* Bytes read; 0 at the end, negative for an error. */
    int (*read)(char *data, size_t size);
    void (*close)(void);
};

extern const struct backend backend;

/* One certificate of the job's; 0 at the end. Moves `*at` behind it. */
size_t client_authority(const struct job *job, size_t *at, const unsigned char **der);

#endif
