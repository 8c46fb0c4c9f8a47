/* The ways to look at a model: in the browser, in a file that shows it, in the terminal. */
#ifndef VIEW_H
#define VIEW_H

#include "cli.h"

/* view_page.c: what is built into the command; NULL if it is not. */
typedef struct enclosed {
    const void *data;
    size_t size;
} enclosed;
enclosed page_itself(void);
enclosed page_wasm(void);

/* Packed as browsers can unpack it, to be freed; NULL without memory, or without a page. */
unsigned char *pack(const char *bytes, size_t size, size_t *packed_size);

/* A file that a model needs: itself first. */
typedef struct shown_file {
    char *path;    /* where it is */
    char *name;    /* as the page knows it */
    bool imported; /* the page gets what stele-import makes of it, whenever it asks */
} shown_file;

typedef struct shown_files {
    shown_file *items;
    size_t count, capacity;
} shown_files;

/* view_files.c: the models and all that lies beside them and belongs to them. Exit code; EXIT_FINE if all could be opened. */
int find_shown(const settings *s, char **operands, size_t count, shown_files *files);
void free_shown(shown_files *files);

/* Says how it ended, with --json as a document; path and error may be NULL. Returns the exit code. */
int view_ends(const settings *s, const char *path, stele_status status, const char *error);
char *bytes_of_shown(const settings *s, const shown_file *file, size_t *size); /* to be freed; NULL and errno on failure */

/* A file of ours, or one that stele-import reads; and its end. */
stele_file *open_shown(job *j, const stele_options *options);
void close_shown(job *j, stele_file *file);

void put_base64(FILE *out, const unsigned char *bytes, size_t size);

/* view_server.c, view_export.c, view_terminal.c */
int serve(const settings *s, const shown_files *files);
int export_page(const settings *s, const shown_files *files);
int view_in_terminal(const settings *s, char *path);

#endif
