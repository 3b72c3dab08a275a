/* mbed TLS. */
#include "backend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mbedtls/platform_time.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

static mbedtls_ssl_context session;
static mbedtls_ssl_config settings;
static mbedtls_x509_crt authorities;

/* ---- Platform --------------------------------------------------------------------------- */

psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *unused,
                                             uint8_t *output, size_t size, size_t *got)
{
    (void)unused;
    if (client_random(output, (unsigned)size) != 0)
        return PSA_ERROR_INSUFFICIENT_ENTROPY;
    *got = size;
    return PSA_SUCCESS;
}

mbedtls_ms_time_t mbedtls_ms_time(void)
{
    return (mbedtls_ms_time_t)mbedtls_time(NULL) * 1000;
}

struct tm *mbedtls_platform_gmtime_r(const mbedtls_time_t *from, struct tm *to)
{
    return gmtime_r(from, to);
}

static int random_bytes(void *unused, unsigned char *to, size_t size)
{
    (void)unused;
    return client_random(to, (unsigned)size);
}

static int receive(void *unused, unsigned char *data, size_t size)
{
    size_t done = client_receive(data, size);
    (void)unused;
    return done > 0 ? (int)done : MBEDTLS_ERR_SSL_CONN_EOF;
}

static int send_out(void *unused, const unsigned char *data, size_t size)
{
    size_t done = client_send(data, size);
    (void)unused;
    return done > 0 ? (int)done : MBEDTLS_ERR_SSL_CONN_EOF;
}

/* ---- The handshake ---------------------------------------------------------------------- */

static const struct {
    const char *registered;
    int number;
} suites[] = {
    {"TLS_AES_128_GCM_SHA256", 0x1301},
    {"TLS_AES_256_GCM_SHA384", 0x1302},
    {"TLS_CHACHA20_POLY1305_SHA256", 0x1303},
};

static const struct {
    const char *registered;
    uint16_t number;
} groups[] = {
    {"x25519", MBEDTLS_SSL_IANA_TLS_GROUP_X25519},
    {"secp256r1", MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1},
};

static int failed(int number)
{
    const char *fault = "protocol", *reason = "the handshake failed";
    switch (number) {
    case MBEDTLS_ERR_X509_CERT_VERIFY_FAILED:
        if (mbedtls_ssl_get_verify_result(&session) &
            ~(uint32_t)(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE)) {
            fault = "wrong-certificate";
            reason = "of no authority given, or of another name";
        } else {
            fault = "expired-certificate";
            reason = "not valid now";
        }
        break;
    case MBEDTLS_ERR_SSL_CONN_EOF:
    case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY:
        fault = "cut";
        reason = "the connection ended";
        break;
    case MBEDTLS_ERR_SSL_INVALID_MAC:
        fault = "altered";
        reason = "a record does not open";
        break;
    case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
    case MBEDTLS_ERR_SSL_HANDSHAKE_FAILURE:
        fault = "not-offered";
        reason = "the server ended the handshake";
        break;
    case MBEDTLS_ERR_SSL_ALLOC_FAILED:
    case MBEDTLS_ERR_X509_ALLOC_FAILED:
    case PSA_ERROR_INSUFFICIENT_MEMORY:
        fault = "machine";
        reason = "no memory";
        break;
    default:
        break;
    }
    client_failed(fault, reason, number);
    return -1;
}

static int configured(const struct job *job)
{
    static int suite[2];
    static uint16_t group[2];
    const unsigned char *der;
    size_t i, at = 0, size;
    int status;
    for (i = 0; i < sizeof suites / sizeof *suites; i++)
        if (strcmp(suites[i].registered, job->suite) == 0)
            suite[0] = suites[i].number;
    for (i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(groups[i].registered, job->group) == 0)
            group[0] = groups[i].number;
    if (suite[0] == 0 || group[0] == 0) {
        client_failed("not-offered", "this client does not offer it", 0);
        return -1;
    }
    mbedtls_ssl_init(&session);
    mbedtls_ssl_config_init(&settings);
    mbedtls_x509_crt_init(&authorities);
    if ((status = psa_crypto_init()) != PSA_SUCCESS)
        return failed(status);
    while ((size = client_authority(job, &at, &der)) > 0) {
        /* The job keeps the bytes, so the library need not copy them. */
        status = mbedtls_x509_crt_parse_der_nocopy(&authorities, der, size);
        if (status != 0) {
            client_failed("wrong-certificate", "the authority cannot be read", status);
            return -1;
        }
    }
    status = mbedtls_ssl_config_defaults(&settings, MBEDTLS_SSL_IS_CLIENT,
                                         MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
    if (status != 0)
        return failed(status);
#ifdef CLIENT_RESUMES
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
        &settings, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
#endif
    mbedtls_ssl_conf_authmode(&settings, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&settings, &authorities, NULL);
    mbedtls_ssl_conf_ciphersuites(&settings, suite);
    mbedtls_ssl_conf_groups(&settings, group);
    mbedtls_ssl_conf_rng(&settings, random_bytes, NULL);
    return 0;
}

/* ---- Resumption ------------------------------------------------------------------------- */

#ifdef CLIENT_RESUMES
static int offered(const struct job *job)
{
    mbedtls_ssl_session before;
    int status;
    if (job->session_bytes == 0)
        return 0;
    mbedtls_ssl_session_init(&before);
    status = mbedtls_ssl_session_load(&before, job->session, job->session_bytes);
    if (status == 0)
        status = mbedtls_ssl_set_session(&session, &before);
    mbedtls_ssl_session_free(&before);
    if (status == MBEDTLS_ERR_SSL_ALLOC_FAILED)
        return failed(status);
    if (status != 0) {
        client_failed("not-resumed", "the session of before cannot be read", status);
        return -1;
    }
    return 0;
}

/* A client that resumes sees no certificate. The ticket's key proves the server's identity. */
static int resumed(void)
{
    return mbedtls_ssl_get_peer_cert(&session) == NULL;
}

static int has_ticket;

static int keep_session(unsigned char **bytes, size_t *size)
{
    mbedtls_ssl_session now;
    int status;
    *size = 0;
    if (!has_ticket)
        return 0;
    mbedtls_ssl_session_init(&now);
    status = mbedtls_ssl_get_session(&session, &now);
    if (status == 0) {
        /* Called without room, it returns the size that it needs. */
        mbedtls_ssl_session_save(&now, NULL, 0, size);
        *bytes = malloc(*size);
        status = *bytes == NULL ? MBEDTLS_ERR_SSL_ALLOC_FAILED
                                : mbedtls_ssl_session_save(&now, *bytes, *size, size);
    }
    mbedtls_ssl_session_free(&now);
    return status == 0 ? 0 : failed(status);
}
#else
static int offered(const struct job *job)
{
    (void)job;
    return 0;
}
#endif

/* ---- The connection --------------------------------------------------------------------- */

static int handshake(const struct job *job)
{
    int status;
    if (configured(job) != 0)
        return -1;
    if ((status = mbedtls_ssl_setup(&session, &settings)) != 0 ||
        (status = mbedtls_ssl_set_hostname(&session, job->host)) != 0)
        return failed(status);
    if (offered(job) != 0)
        return -1;
    mbedtls_ssl_set_bio(&session, NULL, send_out, receive, NULL);
    if ((status = mbedtls_ssl_handshake(&session)) != 0)
        return failed(status);
    /* Only one suite and one group were offered, so the server chose these. */
    return 0;
}

static int write_all(const char *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        int put = mbedtls_ssl_write(&session, (const unsigned char *)data + done, size - done);
        if (put <= 0)
            return failed(put);
        done += (size_t)put;
    }
    return 0;
}

static int read_some(char *data, size_t size)
{
    int got;
    /* Tickets may arrive before the answer. */
    do {
        got = mbedtls_ssl_read(&session, (unsigned char *)data, size);
#ifdef CLIENT_RESUMES
        has_ticket |= got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET;
#endif
    } while (got == MBEDTLS_ERR_SSL_WANT_READ ||
             got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
    if (got < 0)
        failed(got);
    return got;
}

static void close_session(void)
{
    mbedtls_ssl_close_notify(&session);
    mbedtls_ssl_free(&session);
    mbedtls_ssl_config_free(&settings);
    mbedtls_x509_crt_free(&authorities);
    mbedtls_psa_crypto_free();
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
