/* The parts of String that are more than a line. */
#include "WString.h"

#include <ctype.h>
#include <stdlib.h>

String::String(const __FlashStringHelper *text)
{
    PGM_P from = reinterpret_cast<PGM_P>(text);
    for (char letter; (letter = (char)pgm_read_byte(from)) != 0; from++)
        append(&letter, 1);
}

String::String(double value, unsigned char places)
{
    double half = 0.5;
    for (unsigned char i = 0; i < places; i++)
        half /= 10;
    if (value < 0) {
        append("-", 1);
        value = -value;
    }
    value += half;
    number((unsigned long)value, 10);
    if (places != 0)
        append(".", 1);
    while (places-- != 0) {
        value = (value - (double)(unsigned long)value) * 10;
        number((unsigned long)value, 10);
    }
}

String::~String() { free(bytes); }

String &String::operator=(const String &other)
{
    if (this != &other) {
        size = 0;
        append(other.c_str(), other.size);
    }
    return *this;
}

bool String::reserve(unsigned int count)
{
    char *room = (char *)realloc(bytes, count + 1);
    if (room == nullptr)
        return false;
    if (bytes == nullptr)
        room[0] = 0;
    bytes = room;
    return true;
}

bool String::append(const char *text, unsigned int count)
{
    if (!reserve(size + count))
        return false;
    memcpy(bytes + size, text, count);
    size += count;
    bytes[size] = 0;
    return true;
}

void String::number(unsigned long value, unsigned char base)
{
    char digits[8 * sizeof value];
    unsigned char at = sizeof digits;
    do {
        unsigned char digit = (unsigned char)(value % base);
        digits[--at] = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
        value /= base;
    } while (value != 0);
    append(digits + at, (unsigned int)(sizeof digits - at));
}

void String::signed_number(long value, unsigned char base)
{
    if (value < 0 && base == 10) {
        append("-", 1);
        number(0UL - (unsigned long)value, base);
    } else {
        number((unsigned long)value, base);
    }
}

int String::indexOf(char letter, unsigned int from) const
{
    for (; from < size; from++)
        if (bytes[from] == letter)
            return (int)from;
    return -1;
}

int String::indexOf(const String &other, unsigned int from) const
{
    const char *found = from > size ? nullptr : strstr(c_str() + from, other.c_str());
    return found == nullptr ? -1 : (int)(found - c_str());
}

int String::lastIndexOf(char letter) const
{
    for (unsigned int at = size; at-- != 0;)
        if (bytes[at] == letter)
            return (int)at;
    return -1;
}

String String::substring(unsigned int from, unsigned int to) const
{
    to = to < size ? to : size;
    return from < to ? String(bytes + from, to - from) : String();
}

void String::remove(unsigned int at, unsigned int count)
{
    if (at >= size)
        return;
    count = count < size - at ? count : size - at;
    memmove(bytes + at, bytes + at + count, size - at - count + 1);
    size -= count;
}

void String::toLowerCase()
{
    for (unsigned int at = 0; at < size; at++)
        bytes[at] = (char)tolower((unsigned char)bytes[at]);
}

void String::toUpperCase()
{
    for (unsigned int at = 0; at < size; at++)
        bytes[at] = (char)toupper((unsigned char)bytes[at]);
}

void String::trim()
{
    unsigned int from = 0, to = size;
    while (from < to && isspace((unsigned char)bytes[from]))
        from++;
    while (to > from && isspace((unsigned char)bytes[to - 1]))
        to--;
    *this = substring(from, to);
}

long String::toInt() const { return atol(c_str()); }

float String::toFloat() const { return (float)atof(c_str()); }

void String::getBytes(unsigned char *to, unsigned int room, unsigned int from) const
{
    if (room == 0)
        return;
    unsigned int count = from < size ? size - from : 0;
    count = count < room - 1 ? count : room - 1;
    memcpy(to, c_str() + (count == 0 ? 0 : from), count);
    to[count] = 0;
}
