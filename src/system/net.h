/* A server for this machine only, and what goes with it, for the command. Sockets are ints; -1 is none. */
#ifndef ST_NET_H
#define ST_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int st_listen_here(uint16_t *port);                      /* on the loopback, at a port that is free; -1 and errno on failure */
int st_accept(int listener, int milliseconds);           /* waits so long for somebody; -1: nobody came */
size_t st_socket_read(int s, void *buffer, size_t size); /* 0: they have left, or say nothing for some seconds */
bool st_socket_write(int s, const void *data, size_t size);
bool st_socket_left(int s); /* whoever was there is gone */
void st_socket_close(int s);

bool st_random(void *bytes, size_t size); /* that nobody can guess */

/* Shows an address in the browser that the user has chosen; false if there is no way to. */
bool st_open_in_browser(const char *address);

#endif
