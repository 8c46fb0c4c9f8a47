#include "options.h"

#include <stdint.h>
#include <string.h>

enum { MOST_OPTIONS = 4096 }; /* more is no size, but memory that nobody has zeroed */

bool st_take_options(void *own, size_t size, const void *given)
{
    uint32_t said = 0;
    bool known = true;
    memset(own, 0, size);
    if (!given)
        return true;
    memcpy(&said, given, sizeof said);
    size_t theirs = said ? said : size;
    if (theirs < sizeof said || theirs > MOST_OPTIONS)
        return false;
    for (size_t i = size; i < theirs; i++)
        known &= !((const uint8_t *)given)[i];
    if (known)
        memcpy(own, given, theirs < size ? theirs : size);
    return known;
}
