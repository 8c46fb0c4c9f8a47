/* What the verbs of the command share. Only cli/ owns stdio and exit codes. */
#ifndef CLI_H
#define CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json.h"
#include "stele.h"

enum { EXIT_FINE = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_IO = 3, EXIT_UNSUPPORTED = 4, EXIT_SIGNAL = 128 };
enum { EXIT_TO_BE_IMPORTED = 100, EXIT_LATE = 101 }; /* of a child, to its parent */

enum { MOST_RULES = 64, MOST_CHOICES = 16 };

/* Every option of every verb. */
typedef struct settings {
    const char *verb;
    bool help, json, quiet, silent, verbose, recursive, read_file, import;
    bool hex, force, update, sync, strict, ids;
    bool terminal, no_open; /* of view */
    bool no_repair, allow_outside, embed_textures, copy_textures, name_textures, normals;
    bool dry_run, prune, keep_order;
    bool wireframe, joints, show_normals, uv_checker, bounds, grid, shadow, sheet, turntable, lossless;
    const char *jobs, *format, *target, *dialect, *at, *path, *rows, *out_dir, *memory_limit, *work_limit, *color;
    const char *from, *files_from, *base_dir, *depfile; /* which files, and where they lie */
    const char *to;                                     /* the format to write, which is the extension of outputs */
    const char *fps, *pose, *tolerance, *scale;
    const char *key_tolerance, *round, *simplify, *lod, *max_error;
    const char *output, *size, *camera, *clip, *time, *up, *background, *movie_fps, *time_limit;
    stele_choice choices[MOST_CHOICES];
    size_t choice_count;
    stele_rule rules[MOST_RULES];
    size_t rule_count;

    /* Not options, but for what runs behind walls or opens a file again: its content, and whether import is possible. */
    const void *content; /* NULL: it is opened */
    size_t content_size;
    bool no_import, only_import;
    unsigned seconds; /* that it may take; 0: any */
    bool rewrites;    /* the verb has something to do for files of the format that is to be written, too */
} settings;

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_RULE, OPTION_CHOICE } option_kind;

typedef struct option {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* its name in the help, or NULL */
    const char *help;
    option_kind kind;
    size_t offset; /* in settings */
} option;

typedef struct command {
    const char *name;
    const char *summary;   /* one line */
    const char *usage;     /* after "stele NAME" */
    const char *examples;  /* lines, or NULL */
    const option *options; /* ends with an option without a name; the common ones come on top */
    bool takes_files;
    bool takes_many;   /* as many as there are, and folders of them */
    bool takes_models; /* and so what loading a model has a choice in */
    bool writes_models;
    int (*run)(const settings *s, char **operands, size_t count);
} command;

extern const command *const commands[]; /* NULL-terminated */
extern const command command_formats, command_info, command_check, command_explain, command_convert, command_diff,
    command_optimize, command_render, command_thumbnail, command_view;

/* options.c: 0, or EXIT_USAGE after a message. Operands are moved to the front of argv. */
int parse_options(const command *c, int argc, char **argv, settings *s, size_t *operand_count);
void print_command_help(FILE *out, const command *c);
extern const char exit_codes[];

/* The tables of a command's options, in the order of its help. Returns how many. */
enum { MOST_GROUPS = 7 };
size_t option_groups(const command *c, const option *groups[MOST_GROUPS]);

/* pages.c: what these tables give besides. False if the shell is not known. */
void print_manual_page(FILE *out, const command *c);
bool print_completions(FILE *out, const char *shell);

bool parse_bytes(const char *text, uint64_t *bytes);   /* 100, 4K, 1M, 2G */
bool parse_offset(const char *text, uint64_t *offset); /* 7994 or 0x1f3a */
bool parse_positive(const char *text, double *number); /* finite, more than 0 */
bool parse_number(const char *text, double *number);   /* finite, 0 or more */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *usage_message(void); /* of the last one; "" if there was none */

/* guess.c: of the words that are considered, the one that somebody may have meant by one that is not known. */
typedef struct guess {
    const char *word;
    char best[48]; /* "": none is near */
    size_t wrong;  /* letters */
    char text[96];
} guess;
void consider(guess *g, const char *candidate);
void consider_all(guess *g, const char *candidates); /* words, separated by spaces or commas */
const char *did_you_mean(guess *g);                  /* "; did you mean check?", or "" */

/* The format of a name, or NULL; or EXIT_USAGE after a message that lists them all. */
const stele_format_info *format_named(const char *name);
int unknown_format(const char *name);

/* out_path.c: the path of a file's output: in a folder under its own name, with another extension. To be freed. */
char *path_in_folder(const char *folder, const char *below, const char *extensions); /* the first; NULL: its own */
void plain_slashes(char *path); /* '/' for whatever else separates parts here; NULL is fine */
bool make_folders(char *path);
bool is_folder(const char *path);
void sweep_folder_of(const char *path); /* removes what killed processes left there, once a folder */

typedef struct job job;

/* current.c: what depends on what, by the times of files. */
bool leave_current(job *j, const char *output); /* --update: newer than the job's file and all that this was read with */
bool replaces(const settings *s);               /* whether existing outputs may be replaced */
int check_update(const settings *s);            /* 0, or EXIT_USAGE after a message */
void depend(const job *j, stele_file *file, const char *output);
int write_depfile(const settings *s, int code); /* what ninja and make read; the exit code, with what went wrong */

/* labels.c: labels of so many places, which tell names (or NULL) apart as far as they can; to be freed, also if there is no
 * memory for all. And how much of a text fits. */
bool make_labels(const char *const *names, size_t count, size_t fits, char **labels);
size_t bytes_that_fit(const char *text, size_t places);

/* progress.c: a bar on a terminal, once it has taken longer than a second. */
typedef struct progress {
    bool enabled, drawn;
    double started, last;
} progress;
void progress_start(progress *p, const settings *s);
void progress_show(progress *p, uint64_t done, uint64_t total, const char *unit);
void progress_clear(progress *p);

/* files.c: which files. */
typedef struct entry {
    char *path;
    size_t below;      /* where the part below the operand starts */
    bool found;        /* in a folder, and not named */
    char *problem;     /* why it cannot be used, or NULL */
    const char *rival; /* another file that would be written where this one is, or NULL */
    char *partner;     /* in another folder, that it is compared with, or NULL */
} entry;

typedef struct file_list {
    entry *entries;
    size_t count, capacity;
} file_list;

void add_operand(file_list *list, const settings *s, const char *path);
void add_listed(file_list *list, const settings *s); /* what --files-from lists */
void add_problem(file_list *list, const char *path, const char *why);
void drop_companions(file_list *list);                /* of models that are in the list too */
void find_rivals(file_list *list, const settings *s); /* files that would overwrite each other in one folder */
void pair_folders(file_list *list, const settings *s, const char *first, const char *second);
void free_list(file_list *list);

/* Whether a file that was found in a folder is in the format already that is to be written, and nobody asked for such. */
bool is_skipped(const entry *e, const settings *s);

/* That outputs get in a folder: words, of which the first counts; NULL: their own. */
const char *extension_of(const settings *s);

void *or_die(void *memory); /* ends the process with a message if it is NULL */

/* jobs.c: one job per file, on several threads, printed in order. */
enum { MOST_THREADS = 256 };

/* What became of a file, where the exit code does not say it all. */
typedef enum outcome {
    OUTCOME_BY_CODE,
    OUTCOME_EXISTS,  /* not written: there is such a file */
    OUTCOME_CLASH,   /* not written: another one would be written there too */
    OUTCOME_CURRENT, /* not written: what is there is newer */
    OUTCOME_SKIPPED, /* not written: it is in that format already */
    OUTCOME_STOPPED,
    OUTCOME_COUNT
} outcome;

struct job {
    const settings *settings;
    const char *path;  /* as given; "-" for standard input */
    const char *below; /* its path below the operand that it was found in */
    const entry *entry;
    FILE *out, *err;
    int exit_code;
    outcome outcome;
    bool documented, settled;
    char error[1024]; /* what was complained of; "" if nothing */
    uint64_t errors, warnings;
    uint64_t memory_left; /* within which a file is opened; 0: as the settings say */
    unsigned threads;     /* that this job may use itself */
    bool several;         /* it is not the only one */
    size_t index, count;  /* which of how many */
    progress bar;
    struct imported *imported; /* the bytes of a file that stele-import handed over, or NULL */
};

typedef void (*job_function)(job *j);

/* Runs a job for each file of the operands; the exit code is the greatest one of them. done says what a finished file is. */
int run_jobs(const settings *s, char **operands, size_t count, job_function run, const char *done);

/* The same for a list, which is freed; found says what a file with findings is. */
int run_list(const settings *s, file_list *list, job_function run, const char *done, const char *found);

/* "stele: PATH: ..." to its err, kept for its document; and what it became of it by the status of the library. */
void job_fails(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
void job_fails_at(job *j, const char *what, const char *message); /* "WHAT: MESSAGE", unless opening has said the message */
void job_ends(job *j, stele_status status);

/* Says why the verb did not succeed, unless a finding that was printed says so. */
void report_failure(job *j, const stele_file *file, const char *what, const char *message);

/* Lends the threads of a job, which is the user; a stele_parallel. */
void run_parallel(void *user, size_t count, stele_task task, void *context);

/* How the settings want files to be opened. */
stele_options opening_options(const settings *s);

/* Opens the job's file with the settings; all that went wrong but findings is printed. Sets the exit code. */
stele_file *open_job(job *j, stele_check_level level);

/* writing.c: verbs that write models. The format to write is the one that is said, or promised by the output's extension, or
 * the input's; NULL: there is no such format, which has_format says. In a folder a file keeps its name, but for the extension
 * of another format; that path is to be freed. */
bool to_stdout(const char *path);
const char *target_format(const job *j, const stele_file *file, const char *path);
bool has_format(job *j, const char *path, const char *format);
char *output_path(const job *j);
stele_status save_output(job *j, stele_file *file, char *path, const char *format);
void report_output(job *j, stele_file *file, const char *path, stele_status status, const char *not_done);
void print_output(job *j, const stele_file *file, const char *path, const char *format); /* "a.sgm -> b.glb (glb)" */
void json_output(json *out, const job *j, const stele_file *file, const char *path, const char *format, stele_status status);
int run_writing(settings *s, char **operands, size_t count, job_function run, const char *done);

/* import.c: whether a file is in no format of ours, or it was asked for; or whether it only looks like a broken one of ours
 * under another name, which is found out with the options that it was opened with (NULL: not at all, for nothing can be run).
 */
bool is_to_be_imported(const job *j, const stele_options *options, const stele_file *file);

/* What stele-import makes of a file that is in no format of ours; unknown, which is closed otherwise, if that does
 * not know it either. */
typedef struct imported imported;
stele_file *import_file(job *j, const stele_options *options, stele_file *unknown);
void free_imported(job *j);
void end_importer(job *j);               /* at once: for who cannot wait for it any more */
const char *imported_from(const job *j); /* "Collada"; NULL: it is in a format of ours */

/* What it reads, in lines of a name, a tab and extensions; "" without it. Whether a file's name promises one of these, and none
 * of ours. */
const char *imported_formats(void);
bool is_imported(const char *path);

/* "sgm v3", or "Collada, imported as glb 2.0". */
void print_kind(FILE *out, const job *j, const stele_file *file);

/* Counts the findings, and prints them to the job's err unless they are part of its JSON. */
void report_findings(job *j, const stele_file *file);

/* A file that changed meanwhile makes the job fail with EXIT_IO; and closes it. */
#define FILE_CHANGED "the file changed while it was read"
void settle_job(job *j, const stele_file *file);
void close_job(job *j, stele_file *file);

/* Writes to standard output and remembers the first error, which main reports. */
bool write_stdout(const void *data, size_t size);
bool bytes_to_stdout(void *user, const void *data, size_t size); /* a stele_sink */
int stdout_error(void);

/* The clip of a name or number (not NUL-terminated); STELE_NONE after a message that lists those there are. */
uint32_t find_clip(job *j, stele_file *file, const stele_model *model, const char *name, size_t length);

/* Whether its files can belong to a model of another format. */
bool goes_with_others(const stele_format_info *format);

/* What opening or the last call with it says, or NULL if all went well. */
const char *opening_error(const stele_file *file);
const char *last_error(const stele_file *file);

/* What the command can do about it, to follow the library's message. */
const char *hint_for(stele_status status);

int exit_code_of(stele_status status);
unsigned thread_count(const settings *s); /* 0: -j makes no sense */

/* Libraries that decode images do not know our limit. */
#define MOST_ADDRESS_SPACE ((uint64_t)4 << 30)

/* walls.c, or no_walls.c where there is no sandbox: runs work in a child that locks itself in before it looks into the file;
 * deliver is called in the parent with what the child hands over. Work that opens the file by import calls lock_in when that is
 * done. Returns the exit code. */
typedef int (*work_function)(const settings *s, char *path);
int behind_walls(const settings *s, char *path, work_function work, bool (*deliver)(const void *data, size_t size));
bool hand_over(const void *data, size_t size, bool (*deliver)(const void *data, size_t size)); /* or errno says why not */
void lock_in(const settings *s, const char *path);
bool in_child(void); /* which has a parent to say what went wrong */

/* guard.c: interrupts. They only set a flag that whoever works looks at; or, if nobody does, end the process at once. */
void catch_interrupts(void);
int interrupted(void);                                             /* the signal, or 0 */
bool until_interrupted(void *user, uint64_t done, uint64_t total); /* as a stele_progress */
void stop_at_once(bool yes);                                       /* when interrupted, unless something is being saved */
void say_if_stopped(const char *document, bool to_stderr); /* then, first of all; it must stay where it is; NULL: nothing */
bool no_more_saves(void);                                  /* false while something is being saved; once true, nothing can be */
void print_stopped(size_t done, size_t count);             /* "stopped after 3 of 10 files" */

/* Around everything that writes files: it looks at interrupted() itself and removes what is not complete, so that no signal
 * ends the process meanwhile. False: it was interrupted, and nothing may be written any more. */
bool saving_begins(void);
void saving_ends(void);

/* document.c: the document of a job ends with what became of it, why, and the diagnostics of its file (NULL: none). */
void json_begin_job(json *out, job *j);
void json_end_job(json *out, job *j, const stele_file *file);
void json_failure(FILE *out, const char *command, const char *path, int exit_code, const char *error); /* all of a document */
void prepare_to_be_stopped(const settings *s, const char *path); /* --json: that too is a document; path may be NULL */
const char *status_word(const job *j);                           /* what became of it */

/* report.c: text for people. */
typedef enum tint { TINT_NONE, TINT_BOLD, TINT_DIM, TINT_RED, TINT_YELLOW, TINT_BLUE, TINT_GREEN, TINT_MAGENTA } tint;
const char *tint_on(bool colored, tint t);
const char *tint_off(bool colored, tint t);
bool set_color(const char *when); /* NULL: auto; false if that is no answer */
bool colored_stdout(void);
bool colored_stderr(void);
void print_safe(FILE *out, const char *text, size_t size); /* control bytes and broken UTF-8 as \xNN */
void complain(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* "stele: ...", safely */
void complain_with(FILE *out, const char *format, va_list args);
void print_count(FILE *out, uint64_t number); /* 1,234,567 */
void print_diagnostic(FILE *out, bool colored, const job *j, const stele_diagnostic *d);
bool show_diagnostic(const settings *s, const stele_diagnostic *d);

#endif
