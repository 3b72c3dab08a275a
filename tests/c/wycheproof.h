/* Reads Wycheproof's files line by line: enough of JSON for a file with one field a line. */
#ifndef WYCHEPROOF_H
#define WYCHEPROOF_H

#include "check.h"

struct wycheproof_field { uint8_t data[2048]; size_t size; };

/* A test: its fields by the order of `names`, the numbers of its group and its own. */
struct wycheproof {
    const char *const *names; /* ends with NULL */
    struct wycheproof_field field[6];
    unsigned long key_size, tag_size, iv_size, iterations, output_size;
    int valid;
};

static inline void wycheproof_line(struct wycheproof *test, const char *name, char *value)
{
    static const char *const number_names[] = {"keySize", "tagSize", "ivSize", "iterationCount", "dkLen"};
    unsigned long *const numbers[] = {&test->key_size, &test->tag_size, &test->iv_size,
                                      &test->iterations, &test->output_size};

    for (int i = 0; i < 5; i++) {
        if (strcmp(name, number_names[i]) == 0) {
            *numbers[i] = strtoul(value, NULL, 10);
        }
    }
    for (int i = 0; test->names[i] != NULL; i++) {
        if (strcmp(name, test->names[i]) == 0 && value[0] == '"') {
            value[strcspn(value + 1, "\"") + 1] = 0;
            test->field[i].size = check_hex(test->field[i].data, sizeof test->field[i].data, value + 1);
        }
    }
}

/* Calls `run` for each test of a file. Returns their number. */
static inline unsigned wycheproof_each(const char *path, const char *const *names,
                                       void (*run)(const struct wycheproof *test))
{
    static struct wycheproof test;
    static char line[8192];
    unsigned count = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    memset(&test, 0, sizeof test);
    test.names = names;
    while (fgets(line, sizeof line, file) != NULL) {
        char *name = line + strspn(line, " "), *end, *value;
        if (name[0] != '"' || (end = strchr(name + 1, '"')) == NULL || end[1] != ':') {
            continue;
        }
        *end = 0;
        value = end + 2 + strspn(end + 2, " ");
        wycheproof_line(&test, name + 1, value);
        if (strcmp(name + 1, "result") == 0) {
            test.valid = strncmp(value, "\"invalid\"", 9) != 0;
            run(&test);
            count++;
        }
    }
    fclose(file);
    return count;
}

#endif
