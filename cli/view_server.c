/* The page and its files for one browser on this machine: an address that nobody can guess, GET only, and nothing but what was
 * asked to be shown. It ends with the page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "system/files.h"
#include "system/net.h"
#include "system/process.h"
#include "view.h"

enum {
    TOKEN_BYTES = 16,
    LONGEST_REQUEST = 8192,
    MOST_LISTENERS = 16,
    TICK = 250 /* ms */,
    GRACE = 12 /* ticks without a page */
};

typedef struct server {
    const settings *settings;
    const shown_files *files;
    int socket;
    uint16_t port;
    char token[2 * TOKEN_BYTES + 1];
    int listeners[MOST_LISTENERS]; /* pages that wait for changes */
    size_t listener_count;
    bool seen; /* some page has been there */
    unsigned alone;
    int64_t (*modified)[2];
} server;

/* ---- Answers ---- */

static const char *const headers = "Cache-Control: no-store\r\n"
                                   "Cross-Origin-Resource-Policy: same-origin\r\n"
                                   "Cross-Origin-Opener-Policy: same-origin\r\n"
                                   "Referrer-Policy: no-referrer\r\n"
                                   "X-Content-Type-Options: nosniff\r\n"
                                   "X-Frame-Options: DENY\r\n"
                                   "Content-Security-Policy: frame-ancestors 'none'\r\n";

static bool answer(int s, const char *status, const char *more, const void *body, size_t size)
{
    char head[1024];
    int length = snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%s%sContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
                          headers, more, size);
    return st_socket_write(s, head, (size_t)length) && st_socket_write(s, body, size);
}

static void refuse(int s, const char *status)
{
    answer(s, status, "Content-Type: text/plain\r\n", status, strlen(status));
}

static void send_page(int s)
{
    answer(s, "200 OK", "Content-Type: text/html; charset=utf-8\r\n", page_itself().data, page_itself().size);
}

static void send_list(const server *v, int s)
{
    memory_stream text;
    if (!st_memory_open(&text))
        return;
    json j = {.out = text.file};
    json_open(&j, NULL, '[');
    for (size_t i = 0; i < v->files->count; i++)
        json_string(&j, NULL, v->files->items[i].name);
    json_close(&j, ']');
    if (st_memory_close(&text))
        answer(s, "200 OK", "Content-Type: application/json\r\n", text.data, text.size);
    free(text.data);
}

/* By number: no name in a request ever becomes a path. */
static void send_file(const server *v, int s, const char *number)
{
    char *end;
    unsigned long index = strtoul(number, &end, 10);
    if (end == number || *end || index >= v->files->count) {
        refuse(s, "404 Not Found");
        return;
    }
    size_t size = 0;
    char *bytes = bytes_of_shown(v->settings, &v->files->items[index], &size);
    if (bytes)
        answer(s, "200 OK", "Content-Type: application/octet-stream\r\n", bytes, size);
    else
        refuse(s, "404 Not Found");
    free(bytes);
}

/* Stays open: whoever listens is told of changes, and is gone when the page is. */
static bool begin_listening(server *v, int s)
{
    char head[1024];
    if (v->listener_count == MOST_LISTENERS)
        return false;
    int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%sContent-Type: text/event-stream\r\n\r\n:\n\n", headers);
    if (!st_socket_write(s, head, (size_t)length))
        return false;
    v->listeners[v->listener_count++] = s;
    v->seen = true;
    return true;
}

/* ---- Requests ---- */

static bool read_request(int s, char request[LONGEST_REQUEST])
{
    size_t size = 0, got;
    while (size < LONGEST_REQUEST - 1 && (got = st_socket_read(s, request + size, LONGEST_REQUEST - 1 - size))) {
        size += got;
        request[size] = 0;
        if (strstr(request, "\r\n\r\n"))
            return strlen(request) == size;
    }
    return false;
}

/* The value of a header line, if it is the one that is asked for; names are told apart without regard to case. */
static const char *value_of(const char *line, const char *name)
{
    for (; *name; line++, name++)
        if ((*line | 0x20) != *name)
            return NULL;
    return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static bool is_value(const char *value, const char *wanted)
{
    size_t length = strlen(wanted);
    return strncmp(value, wanted, length) == 0 && value[length] == '\r';
}

/* One host, and ours: another name for this machine is somebody's trick. And nobody else's page: browsers say whose it is that
 * asks. */
static bool comes_from_us(const server *v, const char *request)
{
    char origin[64];
    const char *host = origin + strlen("http://"), *value;
    size_t hosts = 0;
    snprintf(origin, sizeof origin, "http://127.0.0.1:%u", v->port);
    for (const char *line = strstr(request, "\r\n"); line && line[2] != '\r'; line = strstr(line + 2, "\r\n")) {
        if ((value = value_of(line + 2, "host"))) {
            hosts++;
            if (!is_value(value, host))
                return false;
        } else if ((value = value_of(line + 2, "origin")) && !is_value(value, origin))
            return false;
        else if ((value = value_of(line + 2, "sec-fetch-site")) && !is_value(value, "same-origin") && !is_value(value, "none"))
            return false;
    }
    return hosts == 1;
}

/* The path behind the token, without a query; NULL if it is not ours. */
static const char *path_of(const server *v, char *request)
{
    char *path = request + 4, *end = strstr(path, " HTTP/1.");
    if (!end)
        return NULL;
    *end = 0;
    path[strcspn(path, "?")] = 0;
    size_t length = strlen(v->token);
    unsigned different = *path != '/'; /* compared in the same time, whatever is wrong */
    if (strlen(path) < length + 2)
        return NULL;
    for (size_t i = 0; i < length; i++)
        different |= (unsigned)(path[1 + i] ^ v->token[i]);
    return different || path[1 + length] != '/' ? NULL : path + length + 2;
}

/* True if the connection stays open. */
static bool handle(server *v, int s)
{
    char request[LONGEST_REQUEST];
    if (!read_request(s, request)) {
        refuse(s, "400 Bad Request");
        return false;
    }
    if (strncmp(request, "GET ", 4) != 0) {
        refuse(s, "405 Method Not Allowed");
        return false;
    }
    const char *path = comes_from_us(v, request) ? path_of(v, request) : NULL;
    if (!path)
        refuse(s, "403 Forbidden");
    else if (!*path)
        send_page(s);
    else if (strcmp(path, "stele.wasm") == 0)
        answer(s, "200 OK", "Content-Type: application/wasm\r\n", page_wasm().data, page_wasm().size);
    else if (strcmp(path, "models.json") == 0)
        send_list(v, s);
    else if (strcmp(path, "events") == 0)
        return begin_listening(v, s);
    else if (strncmp(path, "file/", 5) == 0)
        send_file(v, s, path + 5);
    else
        refuse(s, "404 Not Found");
    return false;
}

/* ---- Waiting ---- */

static bool anything_changed(server *v)
{
    bool changed = false;
    for (size_t i = 0; i < v->files->count; i++) {
        file_status status;
        if (st_path_status(v->files->items[i].path, true, &status) != 0)
            continue; /* somebody is saving it */
        changed |= memcmp(v->modified[i], status.modified, sizeof status.modified) != 0;
        memcpy(v->modified[i], status.modified, sizeof status.modified);
    }
    return changed;
}

static void tell_listeners(server *v, bool changed)
{
    static const char news[] = "data: changed\n\n";
    size_t left = 0;
    for (size_t i = 0; i < v->listener_count; i++) {
        int s = v->listeners[i];
        if (st_socket_left(s) || (changed && !st_socket_write(s, news, sizeof news - 1)))
            st_socket_close(s);
        else
            v->listeners[left++] = s;
    }
    v->listener_count = left;
}

static void serve_until_left(server *v)
{
    stop_at_once(false);
    while (!interrupted() && v->alone < GRACE) {
        int s = st_accept(v->socket, TICK);
        if (s >= 0 && !handle(v, s))
            st_socket_close(s);
        tell_listeners(v, s < 0 && anything_changed(v));
        v->alone = v->seen && !v->listener_count ? v->alone + (s < 0) : 0;
    }
    for (size_t i = 0; i < v->listener_count; i++)
        st_socket_close(v->listeners[i]);
}

static bool make_token(char token[2 * TOKEN_BYTES + 1])
{
    uint8_t bytes[TOKEN_BYTES];
    if (!st_random(bytes, sizeof bytes))
        return false;
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

int serve(const settings *s, const shown_files *files)
{
    server v = {.settings = s, .files = files, .modified = or_die(calloc(files->count + 1, sizeof *v.modified))};
    v.socket = make_token(v.token) ? st_listen_here(&v.port) : -1;
    if (v.socket < 0) {
        char message[256];
        snprintf(message, sizeof message, "cannot listen on this machine: %s", strerror(errno));
        free(v.modified);
        return view_ends(s, NULL, STELE_IO, message);
    }
    anything_changed(&v);
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%u/%s/?view", v.port, v.token);
    if (s->json) {
        json j;
        json_begin(&j, stdout, "view", NULL);
        json_string(&j, "address", address);
        json_string(&j, "status", "ok");
        json_diagnostics(&j, NULL, NULL);
        json_end(&j);
    } else
        printf("%s\n", address);
    fflush(stdout);
    if (!s->no_open && !st_open_in_browser(address))
        complain(stderr, "no browser could be started: open the address above");
    serve_until_left(&v);
    st_socket_close(v.socket);
    free(v.modified);
    return EXIT_FINE;
}
