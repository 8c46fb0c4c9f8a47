// The least that writing floats as text costs: the fastest printer that Debian has, a blank behind each, and nothing else.
#include <cstddef>

#include <dragonbox/dragonbox_to_chars.h>

// Prints all numbers into a buffer that is used again and again; returns how many characters there were.
extern "C" size_t print_floor(const float *numbers, size_t count, char *buffer, size_t size)
{
    size_t all = 0;
    char *out = buffer, *last = buffer + size - 64;
    for (size_t i = 0; i < count; i++) {
        out = jkj::dragonbox::to_chars_n(numbers[i], out);
        *out++ = ' ';
        if (out > last) {
            all += static_cast<size_t>(out - buffer);
            out = buffer;
        }
    }
    return all + static_cast<size_t>(out - buffer);
}
