/*
 * A static object. The linker keeps its constructor, and with it the object, the table of its virtual
 * methods and each of these methods.
 */
#include "kept.h"
#include "selo.h"

namespace {

class Cipher {
public:
    virtual void set_up(const uint8_t *raw) { (void)raw; }
    virtual void encrypt(uint8_t *out, const uint8_t *in) const { *out = *in; }
    virtual void decrypt(uint8_t *out, const uint8_t *in) const { *out = *in; }
};

class Aes128 : public Cipher {
public:
    Aes128()
    {
        for (uint8_t i = 0; i < sizeof key.round_keys; i++)
            key.round_keys[i] = 0xff;
    }
    void set_up(const uint8_t *raw) { selo_aes128_fast_setup(&key, raw); }
    void encrypt(uint8_t *out, const uint8_t *in) const
    {
        selo_aes128_fast_encrypt(&key, out, in);
    }
    void decrypt(uint8_t *out, const uint8_t *in) const
    {
        selo_aes128_fast_decrypt(&key, out, in);
    }

private:
    struct selo_aes128_fast key;
};

Aes128 aes;
Cipher *volatile cipher = &aes;

}

void kept_set_up(const uint8_t *raw) { cipher->set_up(raw); }
void kept_encrypt(uint8_t *out, const uint8_t *in) { cipher->encrypt(out, in); }
void kept_decrypt(uint8_t *out, const uint8_t *in) { cipher->decrypt(out, in); }
