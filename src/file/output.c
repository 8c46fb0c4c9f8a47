#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Temporary names ---- */

/* A process, so that what it left is known for nobody's when it is gone. Numbers of processes are used again, by other machines
 * and in containers at the same time. */
typedef struct owner {
    uint32_t host;
    long process;
    unsigned long long started;
} owner;

static owner this_process(void)
{
    long process = st_this_process();
    return (owner){st_this_host(), process, st_process_start(process)};
}

static const char *name_of(arena *a, const owner *o, uint32_t number)
{
    return st_arena_format(a, ".stele-%08x-%ld-%llu-%08x.tmp", (unsigned)o->host, o->process, o->started, (unsigned)number);
}

static bool parse_name(const char *name, owner *o)
{
    unsigned host, number;
    int end = 0;
    if (sscanf(name, ".stele-%8x-%ld-%llu-%8x.tmp%n", &host, &o->process, &o->started, &number, &end) != 4)
        return false;
    o->host = host;
    return end && !name[end] && o->process > 0;
}

/* This one is not: emulators tell each of its threads another start. */
static bool is_gone(const owner *o)
{
    if (o->process == st_this_process())
        return false;
    if (st_process_is_gone(o->process))
        return true;
    unsigned long long started = st_process_start(o->process);
    return started && o->started && started != o->started;
}

size_t st_output_sweep(const char *path)
{
    folder in = st_folder_open(path);
    listing *names = st_listing_open(path);
    uint32_t host = st_this_host();
    size_t count = 0;
    for (const char *name; in != NO_FOLDER && names && (name = st_listing_next(names));) {
        owner o;
        file_status status;
        bool left = parse_name(name, &o) && o.host == host && is_gone(&o) && st_name_status(in, name, false, &status) == 0 &&
                    status.kind == FILE_REGULAR && status.owner == st_this_user();
        count += left && st_name_remove(in, name) == 0;
    }
    if (names)
        st_listing_close(names);
    if (in != NO_FOLDER)
        st_folder_close(in);
    return count;
}

/* A number that outputs which are open at the same time do not share, so that the first name is nearly always free. */
static uint32_t number_of(const output *o)
{
    return (uint32_t)((uintptr_t)o / sizeof(void *)) * 2654435761u;
}

/* Calls make with one name after the other until it is one that does not exist yet. Names need to be unused, not unpredictable:
 * the system decides. Returns 0 or an errno. */
static int make_temporary(output *o, const spot *s, int (*make)(output *o, const spot *s, const char *name), const char **made)
{
    owner self = this_process();
    int error = EEXIST;
    for (unsigned attempt = 0; attempt < 1000 && error == EEXIST; attempt++) {
        const char *name = name_of(o->arena, &self, number_of(o) + attempt);
        error = o->arena->failed ? ENOMEM : make(o, s, name);
        if (!error)
            *made = name;
    }
    return error;
}

/* ---- Opening ---- */

/* What is not complete is nobody's business, unless only the system knows whose it will be. */
static int create(output *o, const spot *s, const char *name)
{
    o->fd = st_name_create(s->folder, name, o->mode != NO_MODE);
    return o->fd < 0 ? errno : 0;
}

static int open_at(output *o, const spot *s)
{
    file_status status;
    bool exists = st_name_status(s->folder, s->name, s->follow, &status) == 0;
    if (exists && status.kind == FILE_FOLDER)
        return EISDIR;
    if (exists && !o->overwrite)
        return EEXIST;
    if (exists && status.kind != FILE_REGULAR) {
        /* a device or a pipe is written to, not replaced */
        o->fd = st_name_open_device(s->folder, s->name, s->follow);
        return o->fd < 0 ? errno : 0;
    }
    o->mode = exists ? status.mode : st_folder_mode_of_new(s->folder);
    return make_temporary(o, s, create, &o->temporary);
}

/* A link is followed, so that the file it points to is replaced and the link stays. */
static int resolve_link(output *o)
{
    char resolved[PATH_ROOM];
    file_status status;
    if (st_path_status(o->where.path, false, &status) != 0 || status.kind != FILE_LINK)
        return 0;
    int error = st_path_resolve(o->where.path, resolved);
    if (error)
        return error;
    o->where.path = st_arena_text(o->arena, resolved, strlen(resolved));
    return *o->where.path ? 0 : ENOMEM;
}

int st_output_open(output *o, const address *where, bool overwrite, bool sync, arena *a)
{
    spot s;
    *o = (output){.arena = a, .where = *where, .fd = -1, .mode = NO_MODE, .overwrite = overwrite, .sync = sync};
    o->error = where->outside ? resolve_link(o) : 0;
    if (!o->error)
        o->error = st_spot_find(&s, &o->where);
    if (o->error)
        return o->error;
    o->error = open_at(o, &s);
    st_spot_leave(&s);
    return o->error;
}

/* ---- Writing ---- */

/* A write that meets a page which is not mapped yet starts over in small steps: touch the pages of the next step first. */
static void touch(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i += 4096)
        (void)*(const volatile uint8_t *)(data + i);
    (void)*(const volatile uint8_t *)(data + size - 1);
}

enum { WRITE_STEP = 1 << 18 };

size_t st_output_write(output *o, const void *data, size_t size)
{
    size_t step = size < WRITE_STEP ? size : WRITE_STEP;
    touch(data, step);
    size_t n = st_fd_write(o->fd, data, step);
    if (n == SIZE_MAX && errno != EINTR)
        o->error = errno;
    return n == SIZE_MAX ? 0 : n;
}

int st_output_finish(output *o)
{
    if (!o->error && o->temporary && o->fd >= 0 && o->mode != NO_MODE)
        (void)st_fd_set_mode(o->fd, o->mode); /* not every file system has modes */
    if (!o->error && o->sync && o->temporary && o->fd >= 0)
        o->error = st_fd_sync(o->fd);
    int closing = o->fd >= 0 ? st_fd_close(o->fd) : 0;
    if (!o->error)
        o->error = closing;
    o->fd = -1;
    return o->error;
}

/* ---- Taking the name ---- */

static int keep_old(output *o, const spot *s, const char *name)
{
    (void)o;
    return st_name_link_too(s->folder, s->name, name);
}

/* Without overwrite the name must still be free at the very moment it is taken. */
static int take_name(output *o, const spot *s, bool keep)
{
    file_status status;
    o->is_new = !o->overwrite || st_name_status(s->folder, s->name, false, &status) != 0;
    if (!o->overwrite)
        return st_name_rename_new(s->folder, o->temporary, s->name);
    if (keep && !o->is_new)
        (void)make_temporary(o, s, keep_old, &o->kept);
    return st_name_rename(s->folder, o->temporary, s->name);
}

int st_output_commit(output *o, bool keep)
{
    spot s;
    st_output_finish(o);
    if (!o->error && o->temporary && !(o->error = st_spot_find(&s, &o->where))) {
        o->error = take_name(o, &s, keep);
        st_spot_leave(&s);
    }
    if (o->error) {
        o->is_new = false;
        st_output_settle(o);
        st_output_abandon(o);
    }
    o->temporary = NULL;
    return o->error;
}

void st_output_undo(output *o)
{
    spot s;
    if ((o->is_new || o->kept) && st_spot_find(&s, &o->where) == 0) {
        if (o->is_new)
            (void)st_name_remove(s.folder, s.name);
        else
            (void)st_name_rename(s.folder, o->kept, s.name);
        st_spot_leave(&s);
    }
    o->is_new = false;
    o->kept = NULL;
}

static void remove_beside(output *o, const char *name)
{
    spot s;
    if (name && st_spot_find(&s, &o->where) == 0) {
        (void)st_name_remove(s.folder, name);
        st_spot_leave(&s);
    }
}

void st_output_settle(output *o)
{
    remove_beside(o, o->kept);
    o->kept = NULL;
}

void st_output_abandon(output *o)
{
    if (o->fd >= 0)
        (void)st_fd_close(o->fd);
    remove_beside(o, o->temporary);
    o->fd = -1;
    o->temporary = NULL;
}
