#ifndef _WIN32

#define _GNU_SOURCE

#include "terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool begun;

bool st_terminal_size(terminal_size *size)
{
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || !w.ws_col || !w.ws_row)
        return false;
    *size = (terminal_size){w.ws_col, w.ws_row, w.ws_xpixel, w.ws_ypixel};
    return true;
}

bool st_terminal_begin(void)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    begun = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    return begun;
}

void st_terminal_end(void)
{
    if (begun)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    begun = false;
}

size_t st_terminal_read(char *bytes, size_t size, int milliseconds)
{
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&wait, 1, milliseconds) != 1)
        return 0;
    ssize_t got = read(STDIN_FILENO, bytes, size);
    return got > 0 ? (size_t)got : 0;
}

#endif
