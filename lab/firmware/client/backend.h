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
#ifdef CLIENT_RESUMES
    /* What backend.session gave in an earlier connection; of no bytes: there was none. */
    const unsigned char *session;
    size_t session_bytes;
#endif
};

struct backend {
    /* Shakes hands as a client of TLS 1.3 that offers the job's suite and key exchange and no
     * other, and verifies the server. Offers the job's session, if there is one. 0, or -1
     * after client_failed(). */
    int (*handshake)(const struct job *job);
    int (*write)(const char *data, size_t size);
    /* Bytes read; 0 at the end, negative for an error. */
    int (*read)(char *data, size_t size);
    void (*close)(void);
#ifdef CLIENT_RESUMES
    /* Whether the server took the session of the job. */
    int (*resumed)(void);
    /* What the next connection resumes with, from malloc: a secret. Of no bytes: the server
     * has given no ticket. 0, or -1 after client_failed(). */
    int (*session)(unsigned char **bytes, size_t *size);
#endif
};

extern const struct backend backend;

/* One certificate of the job's; 0 at the end. Moves `*at` behind it. */
size_t client_authority(const struct job *job, size_t *at, const unsigned char **der);

#endif
