/* The functions that a TLS library provides to tls.c. */
#ifndef TLS_CLIENT_BACKEND_H
#define TLS_CLIENT_BACKEND_H

#include "client.h"

struct job {
    /* The name in the certificate; suite and key exchange by their registered names. */
    const char *host, *suite, *group;
    /* The certificates of the authorities in DER, one after the other. */
    const unsigned char *authorities;
    size_t authorities_bytes;
#ifdef CLIENT_RESUMES
    /* The session from backend.session of an earlier connection; size 0: none. */
    const unsigned char *session;
    size_t session_bytes;
#endif
};

struct backend {
    /* Performs the handshake of a TLS 1.3 client. It offers only the job's suite and key
     * exchange, verifies the server, and offers the job's session, if there is one. Returns 0,
     * or -1 after client_failed(). */
    int (*handshake)(const struct job *job);
    int (*write)(const char *data, size_t size);
    /* Returns the bytes read; 0 at the end, negative for an error. */
    int (*read)(char *data, size_t size);
    void (*close)(void);
#ifdef CLIENT_RESUMES
    /* Returns nonzero if the server accepted the session of the job. */
    int (*resumed)(void);
    /* Gives the session for the next connection, from malloc. It is a secret. Size 0: the server
     * has sent no ticket. Returns 0, or -1 after client_failed(). */
    int (*session)(unsigned char **bytes, size_t *size);
#endif
};

extern const struct backend backend;

/* Reads the certificate of the job at `*at`, and moves `*at` to the next one. Returns its size, or 0
 * after the last one. */
size_t client_authority(const struct job *job, size_t *at, const unsigned char **der);

#endif
