/* RustCrypto's hashes in the lab, and HMAC over them. */
#include "names.h"

enum { DIGEST_BYTES = RC_DIGEST };

#if RC_MAC
#define GLUE_MAC 1
#define RC_DIGESTED(what) RC_HASHED(rc_hmac_, what)
void RC_DIGESTED(start)(const uint8_t *key, uint16_t key_size);
#else
#define RC_DIGESTED(what) RC_HASHED(rc_, what)
void RC_DIGESTED(start)(void);
#endif
void RC_DIGESTED(update)(const uint8_t *data, uint16_t size);
void RC_DIGESTED(finish)(uint8_t *out);

#define lib_start RC_DIGESTED(start)
#define lib_update RC_DIGESTED(update)
#define lib_finish RC_DIGESTED(finish)

#include "glue_digest.h"
