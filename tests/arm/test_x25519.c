/* The field of X25519, and the table of its base point. */
/* sources: x25519 */
#include "kernel.h"

#include <string.h>

#include "selo/x25519/field.h"
#include "selo/x25519/x25519_base.h"

KERNEL_BUFFER(a, 64);
KERNEL_BUFFER(b, 64);
KERNEL_BUFFER(r, 64);
KERNEL_BUFFER(entry, 96);
KERNEL_BUFFER(pair, 88);
KERNEL_BUFFER(halves, 32);

/* Adds an element to the digest. Kernel and C may take different forms of it. */
static void fold(const uint8_t element[32])
{
    uint8_t form[32] __attribute__((aligned(4)));
    memcpy(form, element, 32);
    selo_field25519_canonical(form);
    kernel_fold(form, 32);
}

static void fill(void)
{
    kernel_fill(a.data, 64);
    kernel_fill(b.data, 64);
}

static void multiply(void)
{
    fill();
    KERNEL_CALL(selo_field25519_multiply, r.data, a.data, b.data);
    fold(r.data);
}

static void multiply_in_place(void)
{
    fill();
    KERNEL_CALL(selo_field25519_multiply, a.data, a.data, b.data);
    fold(a.data);
    KERNEL_CALL(selo_field25519_multiply, b.data, a.data, b.data);
    fold(b.data);
    KERNEL_CALL(selo_field25519_multiply, b.data, b.data, b.data);
    fold(b.data);
}

/* Two entries of a row of the matrix of division steps, whose sizes together are at most 2^28. */
static void fill_row(int32_t row[4])
{
    uint32_t random[2];
    int32_t entries[2];

    kernel_fill(random, sizeof random);
    entries[0] = (int32_t)(random[0] >> 4) + (int32_t)(random[0] & 1);  /* up to 2^28 */
    entries[1] = (int32_t)((1u << 28) - (uint32_t)entries[0]);
    if (random[1] & 4)
        entries[1] = (int32_t)(random[1] >> 4) & entries[1];
    for (uint8_t i = 0; i < 2; i++) {
        const int32_t entry = random[1] >> i & 1 ? -entries[i] : entries[i];
        row[2 * i] = entry & 0x3fff;
        row[2 * i + 1] = entry >> 14;
    }
}

/* Limbs of 28 bits, a highest one of few bits with a sign. */
static void apply(void)
{
    int32_t *const numbers = (int32_t *)(void *)pair.data, *const h = (int32_t *)(void *)halves.data;

    fill_row(h);
    fill_row(h + 4);
    kernel_fill(pair.data, sizeof pair.data);
    for (uint8_t i = 1; i < 22; i++)
        numbers[i] = i == 10 || i == 21 ? numbers[i] >> 22 : numbers[i] & 0xfffffff;
    KERNEL_CALL(selo_field25519_apply, numbers, h);
    for (uint8_t i = 1; i < 22; i++)
        if (i != 11)
            kernel_fold(numbers + i, 4);
}

static void square(void)
{
    fill();
    KERNEL_CALL(selo_field25519_square, r.data, a.data);
    fold(r.data);
}

static void square_in_place(void)
{
    fill();
    KERNEL_CALL(selo_field25519_square, a.data, a.data);
    fold(a.data);
}

static void butterfly(void)
{
    fill();
    KERNEL_CALL(selo_field25519_butterfly, a.data, b.data);
    fold(a.data);
    fold(b.data);
}

static void subtract(void)
{
    fill();
    KERNEL_CALL(selo_field25519_subtract, r.data, a.data, b.data);
    fold(r.data);
}

static void subtract_in_place(void)
{
    fill();
    KERNEL_CALL(selo_field25519_subtract, a.data, a.data, b.data);
    fold(a.data);
    KERNEL_CALL(selo_field25519_subtract, b.data, a.data, b.data);
    fold(b.data);
}

static void add_121666(void)
{
    fill();
    KERNEL_CALL(selo_field25519_add_121666, a.data, b.data);
    fold(a.data);
}

static void choose(void)
{
    fill();
    KERNEL_CALL(selo_field25519_select, r.data, a.data, b.data, b.data[0] & 1);
    kernel_fold(r.data, 64);
}

static void choose_in_place(void)
{
    fill();
    KERNEL_CALL(selo_field25519_select, a.data, a.data, b.data, b.data[0] & 1);
    kernel_fold(a.data, 64);
}

static void lookup(void)
{
    kernel_fill(a.data, 1);
    KERNEL_CALL(selo_x25519_lookup, entry.data, a.data[0] % SELO_X25519_ENTRIES);
    kernel_fold(entry.data, 96);
}

static const struct {
    const char *name;
    void (*one)(void);
    uint16_t part; /* of the cases */
    uint8_t timed;
} series[] = {
    {"multiply", multiply, 1, 1},   {"multiply-in-place", multiply_in_place, 8, 0},
    {"square", square, 1, 1},       {"square-in-place", square_in_place, 8, 0},
    {"butterfly", butterfly, 1, 1}, {"subtract", subtract, 1, 1},
    {"subtract-in-place", subtract_in_place, 8, 0},
    {"add-121666", add_121666, 1, 1},
    {"select", choose, 4, 1},       {"select-in-place", choose_in_place, 8, 0},
    {"lookup", lookup, 64, 1},      {"apply", apply, 1, 1},
};

/* Numbers at the edges of the field and of a word: all pairs of them. */
static void edges(void)
{
    static const uint8_t lowest[] = {0, 1, 18, 19, 20, 37, 38, 39, 0xec, 0xed, 0xee, 0xff};
    static const uint8_t others[] = {0, 0xff};
    static const uint8_t highest[] = {0, 0x7f, 0x80, 0xff};
    enum { NUMBERS = sizeof lowest * 2 * 4 };
    for (uint16_t i = 0; i < NUMBERS * NUMBERS; i++) {
        uint8_t *const to[2] = {a.data, b.data};
        for (uint8_t which = 0; which < 2; which++) {
            const uint8_t n = (uint8_t)(which ? i / NUMBERS : i % NUMBERS);
            memset(to[which], others[n / 4 % 2], 32);
            to[which][0] = lowest[n / 8];
            to[which][31] = highest[n % 4];
        }
        KERNEL_CALL(selo_field25519_multiply, r.data, a.data, b.data);
        fold(r.data);
        KERNEL_CALL(selo_field25519_square, r.data, a.data);
        fold(r.data);
        KERNEL_CALL(selo_field25519_subtract, r.data, a.data, b.data);
        fold(r.data);
        memcpy(r.data, a.data, 32);
        KERNEL_CALL(selo_field25519_add_121666, r.data, b.data);
        fold(r.data);
        KERNEL_CALL(selo_field25519_butterfly, a.data, b.data);
        fold(a.data);
        fold(b.data);
    }
    kernel_series("edges", NUMBERS * NUMBERS);
}

int main(void)
{
    KERNEL_GUARD(a);
    KERNEL_GUARD(b);
    KERNEL_GUARD(r);
    KERNEL_GUARD(entry);
    KERNEL_GUARD(pair);
    KERNEL_GUARD(halves);
    for (uint8_t i = 0; i < sizeof series / sizeof series[0]; i++) {
        const uint16_t cases = (uint16_t)(KERNEL_CASES / series[i].part);
        for (uint16_t j = 0; j < cases; j++)
            series[i].one();
        kernel_series(series[i].name, cases);
        if (!series[i].timed)
            continue;
        kernel_time_begin();
        for (uint16_t j = 0; j < KERNEL_TIMED; j++)
            series[i].one();
        kernel_time_end(series[i].name);
    }
    edges();
    kernel_end();
    return 0;
}
