/* Reads the vectors of lab/vectors/ml-kem: lines `name = value` under sections in brackets. */
#ifndef MLKEM_VECTORS_H
#define MLKEM_VECTORS_H

#include "check.h"

enum { VECTOR_FIELDS = 8 };
static const char *const vector_names[VECTOR_FIELDS] = {"seed", "d", "z", "m", "ek", "dk", "c", "k"};

struct vector {
    char section[16], result[16];
    struct vector_field { uint8_t data[3168]; size_t size; } field[VECTOR_FIELDS];
};

/* The field of a vector; its size is 0 if the vector does not have it. */
static inline const struct vector_field *vector_field(const struct vector *vector, const char *name)
{
    int i = 0;
    while (strcmp(vector_names[i], name) != 0) {
        i++;
    }
    return &vector->field[i];
}

static inline void vector_line(struct vector *vector, char *line)
{
    char *value = strstr(line, " =");

    line[strcspn(line, "\n")] = 0;
    if (line[0] == '[') {
        snprintf(vector->section, sizeof vector->section, "%.*s", (int)strcspn(line + 1, "]"), line + 1);
    } else if (value != NULL) {
        *value = 0;
        value += 2 + (value[2] == ' ');
        if (strcmp(line, "result") == 0) {
            snprintf(vector->result, sizeof vector->result, "%s", value);
        }
        for (int i = 0; i < VECTOR_FIELDS; i++) {
            if (strcmp(line, vector_names[i]) == 0) {
                const size_t size = strlen(value) / 2;
                vector->field[i].size = size;
                if (size <= sizeof vector->field[i].data) {
                    check_hex(vector->field[i].data, sizeof vector->field[i].data, value);
                }
            }
        }
    }
}

/* Calls `run` for each vector of a file. Returns their number. */
static inline unsigned vector_each(const char *path, void (*run)(const struct vector *vector))
{
    static struct vector vector;
    static char line[8192];
    unsigned count = 0, open = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    memset(&vector, 0, sizeof vector);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "count", 5) == 0) {
            open = 1;
        } else if (line[0] == '\n' && open) {
            run(&vector);
            count++;
            open = 0;
            memset(vector.field, 0, sizeof vector.field);
        }
        vector_line(&vector, line);
    }
    if (open) {
        run(&vector);
        count++;
    }
    fclose(file);
    return count;
}

#endif
