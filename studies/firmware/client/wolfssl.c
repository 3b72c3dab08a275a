/* wolfSSL, the library of ferreira2021. */
#include "backend.h"

#include <string.h>

#include <wolfssl/ssl.h>
#include <wolfssl/error-ssl.h>

static WOLFSSL_CTX *context;
static WOLFSSL *session;

static int receive(WOLFSSL *ssl, char *data, int size, void *unused)
{
    size_t done = client_receive(data, (size_t)size);
    (void)ssl;
    (void)unused;
    return done > 0 ? (int)done : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

static int send_out(WOLFSSL *ssl, char *data, int size, void *unused)
{
    size_t done = client_send(data, (size_t)size);
    (void)ssl;
    (void)unused;
    return done > 0 ? (int)done : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

/* wolfSSL's names differ from the registered names. */
static const struct {
    const char *registered, *own;
    unsigned number;
} suites[] = {
    {"TLS_AES_128_GCM_SHA256", "TLS13-AES128-GCM-SHA256", 0x1301},
    {"TLS_AES_256_GCM_SHA384", "TLS13-AES256-GCM-SHA384", 0x1302},
    {"TLS_CHACHA20_POLY1305_SHA256", "TLS13-CHACHA20-POLY1305-SHA256", 0x1303},
};

static const struct {
    const char *registered;
    int number;
} groups[] = {
    {"x25519", WOLFSSL_ECC_X25519},
    {"secp256r1", WOLFSSL_ECC_SECP256R1},
#ifdef CLIENT_HYBRID
    {"x25519mlkem768", WOLFSSL_X25519MLKEM768},
#endif
};

static int failed(int number)
{
    const char *fault = "protocol", *reason = "the handshake failed";
    switch (number) {
    case ASN_BEFORE_DATE_E:
    case ASN_AFTER_DATE_E:
        fault = "expired-certificate";
        reason = "not valid now";
        break;
    case ASN_NO_SIGNER_E:
    case ASN_SIG_CONFIRM_E:
    case ASN_SELF_SIGNED_E:
    case ASN_SIG_OID_E:
    case DOMAIN_NAME_MISMATCH:
    case VERIFY_CERT_ERROR:
        fault = "wrong-certificate";
        reason = "of no authority given, or of another name";
        break;
    case SOCKET_ERROR_E:
    case SOCKET_PEER_CLOSED_E:
    case WOLFSSL_ERROR_ZERO_RETURN:
        fault = "cut";
        reason = "the connection ended";
        break;
    case VERIFY_MAC_ERROR:
    case DECRYPT_ERROR:
    case AES_GCM_AUTH_E:
    case MAC_CMP_FAILED_E:
        fault = "altered";
        reason = "a record does not open";
        break;
    case FATAL_ERROR:
    case MATCH_SUITE_ERROR:
        fault = "not-offered";
        reason = "the server ended the handshake";
        break;
    case MEMORY_E:
        fault = "machine";
        reason = "no memory";
        break;
    default:
        break;
    }
    client_failed(fault, reason, number);
    return -1;
}

static int configured(const struct job *job, unsigned *suite, int *group)
{
    const unsigned char *der;
    size_t i, at = 0, size;
    const char *own = NULL;
    for (i = 0; i < sizeof suites / sizeof *suites; i++) {
        if (strcmp(suites[i].registered, job->suite) == 0) {
            own = suites[i].own;
            *suite = suites[i].number;
        }
    }
    for (i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(groups[i].registered, job->group) == 0) {
            *group = groups[i].number;
        }
    }
    if (own == NULL || *group == 0) {
        client_failed("not-offered", "this client does not offer it", 0);
        return -1;
    }
    if (wolfSSL_Init() != WOLFSSL_SUCCESS ||
        (context = wolfSSL_CTX_new(wolfTLSv1_3_client_method())) == NULL ||
        wolfSSL_CTX_set_cipher_list(context, own) != WOLFSSL_SUCCESS ||
        wolfSSL_CTX_set_groups(context, group, 1) != WOLFSSL_SUCCESS) {
        return failed(MEMORY_E);
    }
#ifdef CLIENT_RESUMES
    /* The caller keeps the session. The library need not keep another copy. */
    wolfSSL_CTX_set_session_cache_mode(context, WOLFSSL_SESS_CACHE_OFF);
#endif
    wolfSSL_CTX_set_verify(context, WOLFSSL_VERIFY_PEER, NULL);
    while ((size = client_authority(job, &at, &der)) > 0) {
        if (wolfSSL_CTX_load_verify_buffer(context, der, (long)size, WOLFSSL_FILETYPE_ASN1) !=
            WOLFSSL_SUCCESS) {
            client_failed("wrong-certificate", "the authority cannot be read", 0);
            return -1;
        }
    }
    wolfSSL_CTX_SetIORecv(context, receive);
    wolfSSL_CTX_SetIOSend(context, send_out);
    return 0;
}

#ifdef CLIENT_RESUMES
/* True if the server has sent a new ticket. A session that it did not accept still has its old one. */
static int has_ticket;

static int ticket_came(WOLFSSL *ssl, const unsigned char *ticket, int size, void *unused)
{
    (void)ssl;
    (void)ticket;
    (void)size;
    (void)unused;
    has_ticket = 1;
    return 0;
}

static int offered(const struct job *job)
{
    const unsigned char *at = job->session;
    WOLFSSL_SESSION *before;
    int is_set;
    wolfSSL_set_SessionTicket_cb(session, ticket_came, NULL);
    if (job->session_bytes == 0) {
        return 0;
    }
    before = wolfSSL_d2i_SSL_SESSION(NULL, &at, (long)job->session_bytes);
    is_set = before != NULL && at == job->session + job->session_bytes &&
             wolfSSL_SESSION_has_ticket(before) == WOLFSSL_SUCCESS &&
             wolfSSL_set_session(session, before) == WOLFSSL_SUCCESS;
    wolfSSL_SESSION_free(before);
    if (!is_set) {
        client_failed("not-resumed", "the session of before cannot be read, or is too old", 0);
        return -1;
    }
    return 0;
}

static int resumed(void)
{
    return wolfSSL_session_reused(session);
}

static int keep_session(unsigned char **bytes, size_t *size)
{
    WOLFSSL_SESSION *now = wolfSSL_get1_session(session);
    int status = 0;
    *size = 0;
    if (has_ticket) {
        /* The function allocates the memory for it. */
        int written = wolfSSL_i2d_SSL_SESSION(now, bytes);
        if (*bytes == NULL || written <= 0) {
            status = failed(MEMORY_E);
        } else {
            *size = (size_t)written;
        }
    }
    wolfSSL_SESSION_free(now);
    return status;
}
#else
static int offered(const struct job *job)
{
    (void)job;
    return 0;
}
#endif

static int handshake(const struct job *job)
{
    unsigned suite = 0;
    int group = 0;
    if (configured(job, &suite, &group) != 0) {
        return -1;
    }
    session = wolfSSL_new(context);
    if (session == NULL || wolfSSL_check_domain_name(session, job->host) != WOLFSSL_SUCCESS ||
        wolfSSL_UseSNI(session, WOLFSSL_SNI_HOST_NAME, job->host,
                       (unsigned short)strlen(job->host)) != WOLFSSL_SUCCESS ||
        wolfSSL_UseKeyShare(session, (unsigned short)group) != WOLFSSL_SUCCESS) {
        return failed(MEMORY_E);
    }
    if (offered(job) != 0) {
        return -1;
    }
    if (wolfSSL_connect(session) != WOLFSSL_SUCCESS) {
        return failed(wolfSSL_get_error(session, 0));
    }
    /* Only one group was offered, so the server chose it. */
    if ((unsigned)wolfSSL_get_current_cipher_suite(session) != suite) {
        client_failed("protocol", "another suite was negotiated", 0);
        return -1;
    }
    return 0;
}

static int write_all(const char *data, size_t size)
{
    int put = wolfSSL_write(session, data, (int)size);
    return put == (int)size ? 0 : failed(wolfSSL_get_error(session, put));
}

static int read_some(char *data, size_t size)
{
    int got = wolfSSL_read(session, data, (int)size);
    if (got < 0) {
        failed(wolfSSL_get_error(session, got));
    }
    return got;
}

static void close_session(void)
{
    wolfSSL_shutdown(session);
    wolfSSL_free(session);
    wolfSSL_CTX_free(context);
    wolfSSL_Cleanup();
}

const struct backend backend = {
    .handshake = handshake,
    .write = write_all,
    .read = read_some,
    .close = close_session,
#ifdef CLIENT_RESUMES
    .resumed = resumed,
    .session = keep_session,
#endif
};
