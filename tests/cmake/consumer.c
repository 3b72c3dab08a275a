/* Links against the CMake target and checks one digest: SHA-256 of "abc" [FIPS180-4]. */
#include <selo.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    static const uint8_t expected[4] = {0xba, 0x78, 0x16, 0xbf};
    struct selo_sha256 hash;
    uint8_t digest[32];

    selo_sha256_start(&hash);
    selo_sha256_update(&hash, "abc", 3);
    selo_sha256_finish(&hash, digest);
    if (memcmp(digest, expected, sizeof expected) != 0) {
        fprintf(stderr, "wrong digest\n");
        return 1;
    }
    printf("selo %s\n", SELO_VERSION);
    return 0;
}
