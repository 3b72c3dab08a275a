/* A class that can print itself. */
#ifndef SELO_LAB_PRINTABLE_H
#define SELO_LAB_PRINTABLE_H

#include <stddef.h>

class Print;

class Printable {
public:
    virtual size_t printTo(Print &to) const = 0;
};

#endif
