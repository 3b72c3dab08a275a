/* wolfSSL, the library of ferreira2021: TLS 1.3 and X25519 only. */
#include <stdio.h>

#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

#include "backend.h"

static WOLFSSL_CTX *context;
static WOLFSSL *session;
static char negotiated[64];

static int receive(WOLFSSL *ssl, char *data, int size, void *unused) {
    int done = tls_client_receive(data, (size_t)size);
    (void)ssl;
    (void)unused;
    return done > 0 ? done : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

static int send_out(WOLFSSL *ssl, char *data, int size, void *unused) {
    int done = tls_client_send(data, (size_t)size);
    (void)ssl;
    (void)unused;
    return done > 0 ? done : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

/* wolfSSL spells registered names its own way. */
static const struct {
    const char *registered, *own;
} names[] = {
    {"TLS_AES_128_GCM_SHA256", "TLS13-AES128-GCM-SHA256"},
    {"TLS_AES_256_GCM_SHA384", "TLS13-AES256-GCM-SHA384"},
    {"TLS_CHACHA20_POLY1305_SHA256", "TLS13-CHACHA20-POLY1305-SHA256"},
};

static int prepare(const char *ca, const char *suite) {
    size_t i;
    const char *own = NULL;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].registered, suite) == 0) {
            own = names[i].own;
        }
    }
    wolfSSL_Init();
    context = wolfSSL_CTX_new(wolfTLSv1_3_client_method());
    if (context == NULL || own == NULL ||
        wolfSSL_CTX_set_cipher_list(context, own) != WOLFSSL_SUCCESS) {
        fprintf(stderr, "this wolfSSL does not offer %s\n", suite);
        return -1;
    }
    if (wolfSSL_CTX_load_verify_locations(context, ca, NULL) != WOLFSSL_SUCCESS) {
        fprintf(stderr, "%s: no certificates in PEM form\n", ca);
        return -1;
    }
    wolfSSL_CTX_SetIORecv(context, receive);
    wolfSSL_CTX_SetIOSend(context, send_out);
    return 0;
}

static int handshake(int socket, const char *host) {
    (void)socket;
    negotiated[0] = '\0';
    session = wolfSSL_new(context);
    if (session == NULL || wolfSSL_check_domain_name(session, host) != WOLFSSL_SUCCESS ||
        wolfSSL_UseKeyShare(session, WOLFSSL_ECC_X25519) != WOLFSSL_SUCCESS) {
        return -1;
    }
    if (wolfSSL_connect(session) != WOLFSSL_SUCCESS) {
        char text[WOLFSSL_MAX_ERROR_SZ];
        fprintf(stderr, "%s\n", wolfSSL_ERR_error_string(
                                    (unsigned long)wolfSSL_get_error(session, 0), text));
        return -1;
    }
    /* The IANA number tells: names are spelt in several ways. */
    switch (wolfSSL_get_current_cipher_suite(session)) {
    case 0x1301:
        snprintf(negotiated, sizeof negotiated, "TLS_AES_128_GCM_SHA256");
        break;
    case 0x1302:
        snprintf(negotiated, sizeof negotiated, "TLS_AES_256_GCM_SHA384");
        break;
    case 0x1303:
        snprintf(negotiated, sizeof negotiated, "TLS_CHACHA20_POLY1305_SHA256");
        break;
    default:
        break;
    }
    return 0;
}

static int write_all(const char *data, size_t size) {
    return wolfSSL_write(session, data, (int)size) == (int)size ? 0 : -1;
}

static int read_some(char *data, size_t size) {
    int got = wolfSSL_read(session, data, (int)size);
    if (got < 0) {
        char text[WOLFSSL_MAX_ERROR_SZ];
        fprintf(stderr, "%s\n", wolfSSL_ERR_error_string(
                                    (unsigned long)wolfSSL_get_error(session, got), text));
    }
    return got;
}

static void close_session(void) {
    if (session != NULL) {
        wolfSSL_shutdown(session);
        wolfSSL_free(session);
        session = NULL;
    }
}

static const char *suite(void) { return negotiated; }

static void finish(void) {
    wolfSSL_CTX_free(context);
    context = NULL;
    wolfSSL_Cleanup();
}

static const char *const suites[] = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
                                     "TLS_CHACHA20_POLY1305_SHA256", NULL};

const struct backend backend = {
    .name = "wolfssl " LIBWOLFSSL_VERSION_STRING,
    .prepare = prepare,
    .handshake = handshake,
    .write = write_all,
    .read = read_some,
    .close = close_session,
    .suite = suite,
    .finish = finish,
    .suites = suites,
};
