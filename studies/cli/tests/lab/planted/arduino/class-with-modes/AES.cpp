#include "AES.h"
// CORE

AES::AES()
{
    byte ar_iv[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    IVC = 1;
    memset(iv, 0, 8);
    memcpy(iv + 8, ar_iv, 8);
    for (byte i = 0; i < 15; i++)
        arr_pad[i] = i + 1;
}

byte AES::set_key(byte key[], int keylen)
{
    switch (keylen) {
    case 16:
    case 128: keylen = 16; round = 10; break;
    case 24:
    case 192: keylen = 24; round = 12; break;
    case 32:
    case 256: keylen = 32; round = 14; break;
    default: round = 0; return FAILURE;
    }
    expand(key, keylen / 4, key_sched);
    return SUCCESS;
}

void AES::clean()
{
    memset(key_sched, 0, KEY_SCHEDULE_BYTES);
    round = 0;
}

void AES::copy_n_bytes(byte *d, byte *s, byte nn)
{
    while (nn-- > 0)
        *d++ = *s++;
}

byte AES::encrypt(byte plain[N_BLOCK], byte cipher[N_BLOCK])
{
    if (!round)
        return FAILURE;
    byte state[N_BLOCK];
    copy_n_bytes(state, plain, N_BLOCK);
    forward(key_sched, round, state);
    copy_n_bytes(cipher, state, N_BLOCK);
    return SUCCESS;
}

byte AES::decrypt(byte cipher[N_BLOCK], byte plain[N_BLOCK])
{
    if (!round)
        return FAILURE;
    byte state[N_BLOCK];
    copy_n_bytes(state, cipher, N_BLOCK);
    backward(key_sched, round, state);
    copy_n_bytes(plain, state, N_BLOCK);
    return SUCCESS;
}

byte AES::cbc_encrypt(byte *plain, byte *cipher, int n_block, byte iv[N_BLOCK])
{
    while (n_block--) {
        add(iv, plain);
        if (encrypt(iv, iv) != SUCCESS)
            return FAILURE;
        copy_n_bytes(cipher, iv, N_BLOCK);
        plain += N_BLOCK;
        cipher += N_BLOCK;
    }
    return SUCCESS;
}

byte AES::cbc_encrypt(byte *plain, byte *cipher, int n_block)
{
    return cbc_encrypt(plain, cipher, n_block, iv);
}

byte AES::cbc_decrypt(byte *cipher, byte *plain, int n_block, byte iv[N_BLOCK])
{
    while (n_block--) {
        byte tmp[N_BLOCK];
        copy_n_bytes(tmp, cipher, N_BLOCK);
        if (decrypt(cipher, plain) != SUCCESS)
            return FAILURE;
        add(plain, iv);
        copy_n_bytes(iv, tmp, N_BLOCK);
        plain += N_BLOCK;
        cipher += N_BLOCK;
    }
    return SUCCESS;
}

byte AES::cbc_decrypt(byte *cipher, byte *plain, int n_block)
{
    return cbc_decrypt(cipher, plain, n_block, iv);
}

void AES::set_IV(unsigned long long int IVCl)
{
    memcpy(iv, &IVCl, 8);
    memcpy(iv + 8, &IVCl, 8);
    IVC = IVCl;
}

void AES::iv_inc()
{
    IVC += 1;
    memcpy(iv, &IVC, 8);
    memcpy(iv + 8, &IVC, 8);
}

int AES::get_size() { return size; }

void AES::get_IV(byte *out) { memcpy(out, iv, 16); }

void AES::calc_size_n_pad(int p_size)
{
    int s_of_p = p_size - 1;
    size = s_of_p % N_BLOCK == 0 ? s_of_p : s_of_p + (N_BLOCK - s_of_p % N_BLOCK);
    pad = size - s_of_p;
}

void AES::padPlaintext(void *in, byte *out)
{
    memcpy(out, in, size);
    for (int i = size - pad; i < size; i++)
        out[i] = arr_pad[pad - 1];
}

bool AES::CheckPad(byte *in, int lsize)
{
    if (in[lsize - 1] > 0x0f)
        return false;
    for (int i = lsize - 1; i >= lsize - in[lsize - 1]; i--)
        if (arr_pad[in[lsize - 1] - 1] != in[i])
            return false;
    return true;
}

void AES::printArray(byte output[], bool p_pad)
{
    int count = p_pad ? size / N_BLOCK : (size - pad) / N_BLOCK;
    for (int i = 0; i < count * N_BLOCK; i++)
        printf_P(PSTR("%c"), output[i]);
    printf_P(PSTR("\n"));
}

void AES::do_aes_encrypt(byte *plain, int size_p, byte *cipher, byte *key, int bits)
{
    byte iv_n[N_BLOCK];
    get_IV(iv_n);
    do_aes_encrypt(plain, size_p, cipher, key, bits, iv_n);
}

void AES::do_aes_encrypt(byte *plain, int size_p, byte *cipher, byte *key, int bits, byte ivl[N_BLOCK])
{
    calc_size_n_pad(size_p);
    byte plain_p[64];
    padPlaintext(plain, plain_p);
    set_key(key, bits);
    cbc_encrypt(plain_p, cipher, size / N_BLOCK, ivl);
}

void AES::do_aes_decrypt(byte *cipher, int size_c, byte *plain, byte *key, int bits, byte ivl[N_BLOCK])
{
    size = size_c;
    set_key(key, bits);
    cbc_decrypt(cipher, plain, size / N_BLOCK, ivl);
}
