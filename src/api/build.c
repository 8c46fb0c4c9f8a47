/* What the library was built for, by and with. */
#include <stdio.h>

#include "images/image.h"

/* CMake knows; other ways to build it need not say. */
#ifndef STELE_BUILT_FOR
#define STELE_BUILT_FOR "an unnamed system, by compiler " __VERSION__
#endif

void stele_build_facts(char *text, size_t room)
{
    char libraries[256];
    st_image_libraries(libraries, sizeof libraries);
    if (text && room)
        snprintf(text, room, "for %s, with %s", STELE_BUILT_FOR, libraries);
}
