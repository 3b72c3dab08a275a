/*
 * Selo for C++11 and later: authenticated encryption with types. It adds no code of its own beyond
 * calls of selo.h, no exceptions and no heap.
 *
 *     selo::chacha20_poly1305 cipher(raw);                  // wipes itself at the end of the scope
 *     selo::chacha20_poly1305::nonce nonce(counter_bytes);  // 12 bytes, or it does not compile
 *     selo::tag tag;
 *     if (cipher.seal(sealed, tag, reading, nonce, station) != SELO_OK) ...
 *     if (cipher.open(reading, sealed, tag, nonce, station) != SELO_OK) ...
 *
 * The compiler rejects a raw key or nonce of another size, a nonce in place of a tag or key, an output
 * array that is shorter than its input, the copy of a key, and (as a warning) a result that nobody
 * reads. The contract of each call is that of selo_X_seal and selo_X_open in selo.h.
 */
#ifndef SELO_HPP
#define SELO_HPP

#include "selo.h"

#if __cplusplus >= 201703L
#define SELO_CHECK [[nodiscard]]
#else
#define SELO_CHECK [[gnu::warn_unused_result]]
#endif

namespace selo {

/* Bytes to read, and bytes to write: a pointer and a size. An array of bytes becomes one by itself. */
struct bytes {
    const uint8_t *data;
    size_t size;
    bytes() : data(nullptr), size(0) {}
    bytes(const uint8_t *start, size_t count) : data(start), size(count) {}
    template <size_t N> bytes(const uint8_t (&array)[N]) : data(array), size(N) {}
};
struct buffer {
    uint8_t *data;
    size_t size;
    buffer(uint8_t *start, size_t count) : data(start), size(count) {}
    template <size_t N> buffer(uint8_t (&array)[N]) : data(array), size(N) {}
};

/* The characters of a string literal, without its final zero, such as the name of a station. */
template <size_t N> bytes text(const char (&literal)[N])
{
    return bytes(reinterpret_cast<const uint8_t *>(literal), N - 1);
}

/* Secret bytes that wipe themselves, such as a raw key that a function derives. */
template <size_t N> class secret {
  public:
    uint8_t data[N];
    secret() : data() {}
    ~secret() { selo_wipe(data, N); }
    secret(const secret &) = delete;
    secret &operator=(const secret &) = delete;
};

struct tag {
    uint8_t data[16];
    tag() : data() {}
    explicit tag(const uint8_t (&start)[16])
    {
        for (uint8_t i = 0; i < 16; i++)
            data[i] = start[i];
    }
};

/* An algorithm under a key. `Algorithm` names the struct, the sizes and the functions. */
template <class Algorithm> class aead {
  public:
    /* The number of a message: never the same twice under one key. */
    struct nonce {
        uint8_t data[Algorithm::NONCE];
        explicit nonce(const uint8_t (&start)[Algorithm::NONCE])
        {
            for (uint8_t i = 0; i < Algorithm::NONCE; i++)
                data[i] = start[i];
        }
    };

    explicit aead(const uint8_t (&raw)[Algorithm::KEY]) { Algorithm::setup(&key, raw); }
    explicit aead(const secret<Algorithm::KEY> &raw) { Algorithm::setup(&key, raw.data); }
    ~aead() { selo_wipe(&key, sizeof key); }
    aead(const aead &) = delete;
    aead &operator=(const aead &) = delete;

    /* Encrypts `in` to the start of `out`, and writes the tag over it and the associated data.
     * Returns: as selo_X_seal, or SELO_ERROR_SPACE if out is shorter than in; out and tag are then
     * zeroed. */
    SELO_CHECK enum selo_status seal(buffer out, tag &check, bytes in, const nonce &number, bytes ad = bytes()) const
    {
        if (out.size < in.size) {
            selo_wipe(check.data, sizeof check.data);
            return no_space(out);
        }
        const struct selo_header header = header_of(number, ad);
        return Algorithm::seal(&key, &header, out.data, in.data, in.size, check.data);
    }

    /* Verifies the tag and decrypts `in` to the start of `out`.
     * Returns: as selo_X_open, or SELO_ERROR_SPACE; out is then zeroed. */
    SELO_CHECK enum selo_status open(buffer out, bytes in, const tag &check, const nonce &number, bytes ad = bytes()) const
    {
        if (out.size < in.size)
            return no_space(out);
        const struct selo_header header = header_of(number, ad);
        return Algorithm::open(&key, &header, out.data, in.data, in.size, check.data);
    }

    /* The same with arrays, whose sizes the compiler compares. */
    template <size_t N, size_t M>
    SELO_CHECK enum selo_status seal(uint8_t (&out)[N], tag &check, const uint8_t (&in)[M], const nonce &number,
                                     bytes ad = bytes()) const
    {
        static_assert(N >= M, "the output is shorter than the input");
        return seal(buffer(out), check, bytes(in), number, ad);
    }
    template <size_t N, size_t M>
    SELO_CHECK enum selo_status open(uint8_t (&out)[N], const uint8_t (&in)[M], const tag &check, const nonce &number,
                                     bytes ad = bytes()) const
    {
        static_assert(N >= M, "the output is shorter than the input");
        return open(buffer(out), bytes(in), check, number, ad);
    }

  private:
    typename Algorithm::key_type key;

    static enum selo_status no_space(buffer out)
    {
        selo_wipe(out.data, out.size);
        return SELO_ERROR_SPACE;
    }
    static struct selo_header header_of(const nonce &number, bytes ad)
    {
        const struct selo_header header = {number.data, sizeof number.data, ad.data, ad.size, 16};
        return header;
    }
};

#define SELO_HPP_AEAD(name, key_bytes, nonce_bytes)                                                     \
    struct name##_algorithm {                                                                           \
        typedef struct selo_##name##_key key_type;                                                      \
        enum : uint8_t { KEY = key_bytes, NONCE = nonce_bytes };                                        \
        static void setup(key_type *key, const uint8_t *raw) { selo_##name##_setup(key, raw); }         \
        static enum selo_status seal(const key_type *key, const struct selo_header *header,             \
                                     uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag)        \
        {                                                                                               \
            return selo_##name##_seal(key, header, out, in, size, tag);                                 \
        }                                                                                               \
        static enum selo_status open(const key_type *key, const struct selo_header *header,             \
                                     uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag)  \
        {                                                                                               \
            return selo_##name##_open(key, header, out, in, size, tag);                                 \
        }                                                                                               \
    };                                                                                                  \
    typedef aead<name##_algorithm> name;

SELO_HPP_AEAD(chacha20_poly1305, 32, 12)
SELO_HPP_AEAD(xchacha20_poly1305, 32, 24)
SELO_HPP_AEAD(ascon_aead128, 16, 16)
SELO_HPP_AEAD(aes128_gcm, 16, 12)
SELO_HPP_AEAD(aes192_gcm, 24, 12)
SELO_HPP_AEAD(aes256_gcm, 32, 12)
SELO_HPP_AEAD(aes128_ccm, 16, 13)
SELO_HPP_AEAD(aes192_ccm, 24, 13)
SELO_HPP_AEAD(aes256_ccm, 32, 13)

#undef SELO_HPP_AEAD

} // namespace selo

#endif
