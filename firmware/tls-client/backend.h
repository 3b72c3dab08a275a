/* What a TLS library has to do for client.c. */
#ifndef TLS_CLIENT_BACKEND_H
#define TLS_CLIENT_BACKEND_H

#include <stddef.h>

struct backend {
    /* Name and version, as rows have them. */
    const char *name;
    /* Prepares for one suite; `ca` is a file of PEM. 0, or -1 after a word to stderr. */
    int (*prepare)(const char *ca, const char *suite);
    /* Shakes hands over a connected socket; `host` is the name in the certificate. */
    int (*handshake)(int socket, const char *host);
    int (*write)(const char *data, size_t size);
    /* Bytes read; 0 at the end, negative for an error. */
    int (*read)(char *data, size_t size);
    void (*close)(void);
    /* The suite that was negotiated. */
    const char *(*suite)(void);
    void (*finish)(void);
    /* The suites that the library knows under their registered names, ended by NULL. */
    const char *const *suites;
};

extern const struct backend backend;

/* What the socket carries is counted here. */
int tls_client_send(const void *data, size_t size);
int tls_client_receive(void *data, size_t size);

#endif
