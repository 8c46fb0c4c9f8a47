/* Built without GLFW: there are only pictures. */
#include "stage.h"

void *window_open(const char *title, int width, int height)
{
    (void)title, (void)width, (void)height;
    return NULL;
}

void window_size(void *window, int *width, int *height)
{
    (void)window, (void)width, (void)height;
}

bool window_show(void *window)
{
    (void)window;
    return false;
}

double window_seconds(void)
{
    return 0;
}
