/* A stream from which nothing ever comes. */
#ifndef SELO_LAB_STREAM_H
#define SELO_LAB_STREAM_H

#include "Print.h"

class Stream : public Print {
public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;
    void setTimeout(unsigned long) {}
    size_t readBytes(char *to, size_t size)
    {
        size_t count = 0;
        while (count < size && available() > 0)
            to[count++] = (char)read();
        return count;
    }
    size_t readBytes(uint8_t *to, size_t size) { return readBytes((char *)to, size); }
    String readString()
    {
        String text;
        while (available() > 0)
            text += (char)read();
        return text;
    }
};

#endif
