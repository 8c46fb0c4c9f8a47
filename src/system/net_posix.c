#ifndef _WIN32

#define _GNU_SOURCE

#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE = 5 /* seconds */, BACKLOG = 16 };

int st_listen_here(uint16_t *port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0)
        return -1;
    fcntl(s, F_SETFD, FD_CLOEXEC);
    if (bind(s, (struct sockaddr *)&here, size) != 0 || listen(s, BACKLOG) != 0 ||
        getsockname(s, (struct sockaddr *)&here, &size) != 0) {
        close(s);
        return -1;
    }
    *port = ntohs(here.sin_port);
    return s;
}

int st_accept(int listener, int milliseconds)
{
    struct pollfd wait = {.fd = listener, .events = POLLIN};
    struct timeval patience = {.tv_sec = PATIENCE};
    if (poll(&wait, 1, milliseconds) != 1)
        return -1;
    int s = accept(listener, NULL, NULL);
    if (s < 0)
        return -1;
    fcntl(s, F_SETFD, FD_CLOEXEC);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return s;
}

size_t st_socket_read(int s, void *buffer, size_t size)
{
    ssize_t got;
    do
        got = recv(s, buffer, size, 0);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

bool st_socket_write(int s, const void *data, size_t size)
{
    for (const char *p = data; size;) {
        ssize_t sent = send(s, p, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        p += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool st_socket_left(int s)
{
    char byte;
    ssize_t got = recv(s, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void st_socket_close(int s)
{
    shutdown(s, SHUT_WR);
    close(s);
}

bool st_random(void *bytes, size_t size)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool filled = fd >= 0 && read(fd, bytes, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return filled;
}

/* Nobody waits for it: it ends when it likes, and its end is forgotten with ours. */
bool st_open_in_browser(const char *address)
{
    static const char opener[] = "xdg-open";
    char *const arguments[] = {(char *)opener, (char *)address, NULL};
    posix_spawn_file_actions_t quiet;
    extern char **environ;
    pid_t child;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&child, opener, &quiet, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
    return error == 0;
}

#endif
