/* OpenSSL's key agreements in the lab: X25519 and ECDH on P-256. */
#include "keys.h"

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    size_t size = 32;
    EVP_PKEY *own = lab_private(secret), *other = lab_public(peer);
    EVP_PKEY_CTX *agreeing = own && other ? EVP_PKEY_CTX_new(own, NULL) : NULL;
    int failed = !agreeing || EVP_PKEY_derive_init(agreeing) <= 0
                 || EVP_PKEY_derive_set_peer(agreeing, other) <= 0
                 || EVP_PKEY_derive(agreeing, shared, &size) <= 0;
    EVP_PKEY_CTX_free(agreeing);
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
    return failed;
}

#include "glue_dh.h"
