/* Arduino's String, on the heap. */
#ifndef SELO_LAB_WSTRING_H
#define SELO_LAB_WSTRING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <avr/pgmspace.h>

class __FlashStringHelper;
#define F(text) (reinterpret_cast<const __FlashStringHelper *>(PSTR(text)))

class String {
public:
    String(const char *text = "") { append(text, strlen(text)); }
    String(const char *text, unsigned int size) { append(text, size); }
    String(const String &other) { append(other.c_str(), other.size); }
    String(const __FlashStringHelper *text);
    explicit String(char letter) { append(&letter, 1); }
    explicit String(unsigned char value, unsigned char base = 10) { number(value, base); }
    explicit String(int value, unsigned char base = 10) { signed_number(value, base); }
    explicit String(unsigned int value, unsigned char base = 10) { number(value, base); }
    explicit String(long value, unsigned char base = 10) { signed_number(value, base); }
    explicit String(unsigned long value, unsigned char base = 10) { number(value, base); }
    explicit String(double value, unsigned char places = 2);
    ~String();

    String &operator=(const String &other);
    bool reserve(unsigned int bytes);
    unsigned int length() const { return size; }
    const char *c_str() const { return bytes == nullptr ? "" : bytes; }
    char *begin() { return bytes; }
    char *end() { return bytes + size; }
    char charAt(unsigned int at) const { return at < size ? bytes[at] : 0; }
    void setCharAt(unsigned int at, char letter)
    {
        if (at < size)
            bytes[at] = letter;
    }
    char operator[](unsigned int at) const { return charAt(at); }
    char &operator[](unsigned int at)
    {
        static char none;
        return at < size ? bytes[at] : none;
    }

    template <typename T> bool concat(const T &other)
    {
        String text(other);
        return append(text.c_str(), text.size);
    }
    bool concat(const char *text, unsigned int count) { return append(text, count); }
    template <typename T> String &operator+=(const T &other)
    {
        concat(other);
        return *this;
    }

    int compareTo(const String &other) const { return strcmp(c_str(), other.c_str()); }
    bool equals(const String &other) const { return compareTo(other) == 0; }
    bool operator==(const String &other) const { return equals(other); }
    bool operator!=(const String &other) const { return !equals(other); }
    bool operator<(const String &other) const { return compareTo(other) < 0; }
    bool startsWith(const String &other) const { return strncmp(c_str(), other.c_str(), other.size) == 0; }
    bool endsWith(const String &other) const
    {
        return other.size <= size && strcmp(c_str() + size - other.size, other.c_str()) == 0;
    }
    int indexOf(char letter, unsigned int from = 0) const;
    int indexOf(const String &other, unsigned int from = 0) const;
    int lastIndexOf(char letter) const;
    String substring(unsigned int from) const { return substring(from, size); }
    String substring(unsigned int from, unsigned int to) const;
    void remove(unsigned int at, unsigned int count = (unsigned int)-1);
    void toLowerCase();
    void toUpperCase();
    void trim();
    long toInt() const;
    float toFloat() const;
    void getBytes(unsigned char *to, unsigned int room, unsigned int from = 0) const;
    void toCharArray(char *to, unsigned int room, unsigned int from = 0) const
    {
        getBytes((unsigned char *)to, room, from);
    }

private:
    char *bytes = nullptr;
    unsigned int size = 0;

    bool append(const char *text, unsigned int count);
    void number(unsigned long value, unsigned char base);
    void signed_number(long value, unsigned char base);
};

template <typename T> String operator+(const String &one, const T &other)
{
    String text(one);
    text += other;
    return text;
}

inline String operator+(const char *one, const String &other) { return String(one) + other; }

#endif
