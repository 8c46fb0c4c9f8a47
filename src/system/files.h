/* The file system, in words that every system can follow: descriptors, open folders, and names in them. Nothing here knows what
 * is in a file. Paths are UTF-8. Those that return an int return 0 or an errno, unless they say otherwise. */
#ifndef ST_FILES_H
#define ST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATH_ROOM = 4096 }; /* for the text of any path, with its NUL */
#define NO_MODE UINT32_MAX

typedef enum file_kind { FILE_REGULAR, FILE_FOLDER, FILE_LINK, FILE_OTHER } file_kind;

typedef struct file_status {
    file_kind kind;
    uint32_t mode; /* who may do what, as the system has it */
    uint64_t size, device, inode, owner;
    int64_t modified[2]; /* seconds and nanoseconds */
} file_status;

/* What separates the parts of a path besides '/'; 0: nothing. */
char st_second_slash(void);
bool st_path_is_absolute(const char *path);
int st_path_compare(const char *a, const char *b); /* as strcmp: 0 if they name the same file by themselves */
bool st_name_is_possible(const char *name);        /* whether a file can have it */

int st_path_status(const char *path, bool follow, file_status *status);
int st_path_resolve(const char *path, char resolved[PATH_ROOM]); /* where links lead */
int st_path_make_folder(const char *path);
int st_path_remove(const char *path); /* of a file */

/* ---- Descriptors: an int, as the C library has them ---- */

int st_fd_open(const char *path);    /* for reading: a descriptor, or -1 and errno */
int st_fd_rewrite(const char *path); /* the same for writing: made, or emptied */
int st_fd_status(int fd, file_status *status);
size_t st_fd_read(int fd, void *buffer, size_t size);      /* SIZE_MAX and errno on failure: EINTR if a signal came first */
size_t st_fd_write(int fd, const void *data, size_t size); /* the same */
uint64_t st_fd_stored(int fd, uint64_t size); /* how many of its bytes are stored: not its holes; all if nobody knows */
const void *st_fd_map(int fd, uint64_t size); /* to be read; NULL if it cannot be */
void st_unmap(const void *map, uint64_t size);
int st_fd_set_mode(int fd, uint32_t mode);
int st_fd_sync(int fd);
int st_fd_close(int fd);

/* ---- Folders that are open: whatever happens to their paths, names are looked up in them ---- */

typedef intptr_t folder;
enum { NO_FOLDER = -1 };

folder st_folder_open(const char *path);                  /* NO_FOLDER and errno on failure */
folder st_folder_open_below(folder in, const char *name); /* the same; and never what a link leads to */
void st_folder_close(folder f);

/* What a link says, NUL-terminated. False if it is none. */
bool st_name_link(folder in, const char *name, char target[PATH_ROOM]);
int st_name_status(folder in, const char *name, bool follow, file_status *status);

/* Descriptors, or -1 and errno. A pipe that is opened for reading does not make us wait. */
int st_name_open(folder in, const char *name, bool follow);
int st_name_create(folder in, const char *name, bool only_ours);   /* must be new */
int st_name_open_device(folder in, const char *name, bool follow); /* for writing; what is there is not emptied */

/* What the system gives to a new file of this folder, by umask or by the folder's own rules; NO_MODE: it does not say. */
uint32_t st_folder_mode_of_new(folder in);

int st_name_rename(folder in, const char *from, const char *to);      /* what was there is gone, at the same moment */
int st_name_rename_new(folder in, const char *from, const char *to);  /* EEXIST if there is one, whoever made it and when */
int st_name_link_too(folder in, const char *name, const char *other); /* a second name of the same file */
int st_name_remove(folder in, const char *name);
int st_name_make_folder(folder in, const char *name);
int st_name_remove_folder(folder in, const char *name); /* if it is empty */

/* ---- What is in a folder, in no order ---- */

typedef struct listing listing;
listing *st_listing_open(const char *path); /* NULL and errno on failure */
const char *st_listing_next(listing *l);    /* a name; NULL: no more */
void st_listing_close(listing *l);

/* ---- Who we are ---- */

uint64_t st_this_user(void);
uint32_t st_this_host(void); /* or container: where numbers of processes mean the same */
long st_this_process(void);
bool st_process_is_gone(long process);
unsigned long long st_process_start(long process); /* so that numbers that are used again are told apart; 0: nobody knows */

void st_error_name(int error, char *text, size_t size); /* what the system says of an errno */

#endif
