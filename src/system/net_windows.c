#ifdef _WIN32

#define _CRT_RAND_S

#include "net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <winsock2.h>

#include <windows.h>

#include <shellapi.h>

enum { PATIENCE = 5000 /* milliseconds */, BACKLOG = 16 };

static int number_of(SOCKET s)
{
    return s == INVALID_SOCKET ? -1 : (int)s;
}

int st_listen_here(uint16_t *port)
{
    WSADATA ignored;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int size = sizeof here;
    if (WSAStartup(MAKEWORD(2, 2), &ignored) != 0)
        return -1;
    SOCKET s = socket(AF_INET, SOCK_STREAM, 0);
    if (s == INVALID_SOCKET)
        return -1;
    if (bind(s, (struct sockaddr *)&here, size) != 0 || listen(s, BACKLOG) != 0 ||
        getsockname(s, (struct sockaddr *)&here, &size) != 0) {
        closesocket(s);
        errno = EADDRNOTAVAIL;
        return -1;
    }
    *port = ntohs(here.sin_port);
    return number_of(s);
}

int st_accept(int listener, int milliseconds)
{
    WSAPOLLFD wait = {.fd = (SOCKET)listener, .events = POLLIN};
    DWORD patience = PATIENCE;
    if (WSAPoll(&wait, 1, milliseconds) != 1)
        return -1;
    SOCKET s = accept((SOCKET)listener, NULL, NULL);
    if (s == INVALID_SOCKET)
        return -1;
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, (const char *)&patience, sizeof patience);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, (const char *)&patience, sizeof patience);
    return number_of(s);
}

size_t st_socket_read(int s, void *buffer, size_t size)
{
    int got = recv((SOCKET)s, buffer, size > INT32_MAX ? INT32_MAX : (int)size, 0);
    return got > 0 ? (size_t)got : 0;
}

bool st_socket_write(int s, const void *data, size_t size)
{
    for (const char *p = data; size;) {
        int sent = send((SOCKET)s, p, size > INT32_MAX ? INT32_MAX : (int)size, 0);
        if (sent <= 0)
            return false;
        p += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool st_socket_left(int s)
{
    WSAPOLLFD look = {.fd = (SOCKET)s, .events = POLLIN};
    char byte;
    return WSAPoll(&look, 1, 0) == 1 && recv((SOCKET)s, &byte, 1, MSG_PEEK) <= 0;
}

void st_socket_close(int s)
{
    shutdown((SOCKET)s, SD_SEND);
    closesocket((SOCKET)s);
}

bool st_random(void *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(unsigned)) {
        unsigned number;
        if (rand_s(&number) != 0)
            return false;
        memcpy((char *)bytes + at, &number, size - at < sizeof number ? size - at : sizeof number);
    }
    return true;
}

bool st_open_in_browser(const char *address)
{
    return (INT_PTR)ShellExecuteA(NULL, "open", address, NULL, NULL, SW_SHOWNORMAL) > 32;
}

#endif
