/* The image of a SUIT manifest [SUIT], verified in pieces. */
#include <string.h>

#include "../../selo_suit.h"

enum { NOT_STARTED, FITS, TOO_LONG };

void selo_suit_image_start(struct selo_suit_image *image, const struct selo_suit_manifest *manifest)
{
    selo_sha256_start(&image->hash);
    memcpy(image->digest, manifest->digest, sizeof image->digest);
    image->left = manifest->image_size;
    image->state = FITS;
}

void selo_suit_image_update(struct selo_suit_image *image, const void *data, size_t size)
{
    if (image->state == NOT_STARTED) {
        return;
    }
    if (size > image->left) { /* nothing of it is hashed: it is wrong already */
        image->state = TOO_LONG;
        return;
    }
    image->left -= (uint32_t)size;
    selo_sha256_update(&image->hash, data, size);
}

enum selo_status selo_suit_image_finish(struct selo_suit_image *image)
{
    uint8_t digest[32];
    enum selo_status status = SELO_ERROR_STATE;

    if (image->state != NOT_STARTED) {
        selo_sha256_finish(&image->hash, digest);
        status = image->state == FITS && image->left == 0 &&
                         selo_equal(digest, image->digest, sizeof digest)
                     ? SELO_OK
                     : SELO_ERROR_TAG;
    }
    selo_wipe(image, sizeof *image);
    return status;
}
