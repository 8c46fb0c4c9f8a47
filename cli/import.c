/* Files of other formats: stele-import, a child in a sandbox of its own, reads them with Assimp and hands over a GLB, which is
 * opened like any file that nobody has checked. docs/import.md describes the conversation. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "system/files.h"

extern char **environ;

enum { MOST_LINES = 65536, SMALL_FILE = 100000 };
#define NO_MEMORY "there is not enough memory" /* so it begins to say that, with EXIT_IO */

enum { IMPORT_FAILED = 1, IMPORT_UNKNOWN = 4, CANNOT_RUN = 127 }; /* how it ends, if not with 0 or EXIT_IO */

/* A child: the file without a name that is its standard output, and what it has said so far. */
typedef struct importer {
    pid_t process;
    int glb, lines;
    char said[MOST_LINES + 1];
    size_t size;
} importer;

/* What it may take, in proportion to the file and those that it names. A small one has room for what small files may hold. */
typedef struct allowance {
    uint64_t input;           /* bytes of them */
    uint64_t memory, output;  /* bytes: of its address space, of the GLB */
    double processor, clock;  /* seconds */
    const char *more_seconds; /* the option that gives more of them */
} allowance;

/* What it handed over, mapped, and what that was before. The kernel takes its time to take a large process apart: that is not
 * waited for before the last moment. */
struct imported {
    void *data;
    size_t size;
    char format[128];
    pid_t process; /* that is done, or 0 */
};

/* ---- Running it ---- */

/* Beside the command, or where both are installed. False if it is nowhere. */
static bool find_program(char path[PATH_MAX])
{
    static const char *const places[] = {"stele-import", STELE_IMPORT_FROM_COMMAND};
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length < 0 ? 0 : length] = 0;
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    slash[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s%s", folder, places[i]) < PATH_MAX && access(path, X_OK) == 0)
            return true;
    return false;
}

/* Its output goes to a file in memory: through a pipe every byte would be copied once more, a piece at a time, each time that
 * both have their turn. */
static bool start(importer *child, char **arguments)
{
    int lines[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    *child = (importer){.process = -1, .glb = memfd_create("glb", MFD_CLOEXEC | MFD_ALLOW_SEALING), .lines = -1};
    posix_spawn_file_actions_init(&actions);
    bool good = child->glb >= 0 && pipe2(lines, O_CLOEXEC) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                posix_spawn_file_actions_adddup2(&actions, child->glb, STDOUT_FILENO) == 0 &&
                posix_spawn_file_actions_adddup2(&actions, lines[1], STDERR_FILENO) == 0 &&
                posix_spawn(&child->process, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (lines[1] >= 0)
        close(lines[1]);
    child->lines = lines[0];
    return good;
}

/* While it reads, room for what it will write: pages that are there need only be filled. STL, which grows most, grows by half;
 * what is not used is given back in the end. */
static void make_room(const importer *child, const char *path)
{
    const uint64_t least = 1 << 20, most = 256 << 20;
    file_status status;
    if (st_path_status(path, true, &status) != 0 || status.kind != FILE_REGULAR || status.size < least)
        return;
    uint64_t expected = status.size + status.size / 2;
    fallocate(child->glb, FALLOC_FL_KEEP_SIZE, 0, (off_t)(expected < most ? expected : most));
}

/* What it says until it ends, so that it never waits for us. False if somebody does not want to wait. */
static bool listen_to(importer *child)
{
    char surplus[4096];
    for (;;) {
        struct pollfd lines = {child->lines, POLLIN, 0};
        int ready = poll(&lines, 1, -1);
        if (interrupted() || (ready < 0 && errno != EINTR))
            return false;
        size_t left = MOST_LINES - child->size;
        ssize_t n =
            ready <= 0 ? -1 : read(child->lines, left ? child->said + child->size : surplus, left ? left : sizeof surplus);
        if (n == 0 || (n < 0 && errno != EINTR))
            return true;
        child->size += n > 0 && left ? (size_t)n : 0;
    }
}

/* The line that begins with this word, or NULL. */
static const char *line_of(const importer *child, const char *word)
{
    size_t length = strlen(word);
    for (const char *line = child->said; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, word, length) == 0 && line[length] == ' ')
            return line;
    return NULL;
}

/* How it ended, as waitpid says; all that it said is there then. One that is done may still be busy with its own end. */
static int finish(importer *child)
{
    int status = 0;
    bool heard = listen_to(child);
    child->said[child->size] = 0;
    if (heard && line_of(child, "done"))
        return 0;
    if (!heard)
        kill(child->process, SIGKILL);
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        ;
    child->process = -1;
    return status;
}

static void end_process(pid_t process)
{
    if (process <= 0)
        return;
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void forget(importer *child)
{
    if (child && child->glb >= 0)
        close(child->glb);
    if (child && child->lines >= 0)
        close(child->lines);
    free(child);
}

/* What it wrote, within the limit. The seals keep it as it is, whoever else may hold it. */
static bool take_output(const importer *child, uint64_t most, imported *glb)
{
    struct stat status;
    *glb = (imported){0};
    if (fcntl(child->glb, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0 ||
        fstat(child->glb, &status) != 0 || (uint64_t)status.st_size > most)
        return false;
    if (!status.st_size)
        return true;
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, child->glb, 0);
    if (data == MAP_FAILED)
        return false;
    glb->data = data;
    glb->size = (size_t)status.st_size;
    return true;
}

const char *imported_from(const job *j)
{
    return j->imported && *j->imported->format ? j->imported->format : NULL;
}

void end_importer(job *j)
{
    if (!j->imported)
        return;
    end_process(j->imported->process);
    j->imported->process = 0;
}

void free_imported(job *j)
{
    if (j->imported && j->imported->data)
        munmap(j->imported->data, j->imported->size);
    end_importer(j);
    free(j->imported);
    j->imported = NULL;
}

/* ---- What it may take ---- */

/* The size to go by; what a pipe or a device gives has none. */
static uint64_t size_to_import(const char *path)
{
    const uint64_t unknown = 112 << 20;
    file_status status;
    bool regular = st_path_status(path, true, &status) == 0 && status.kind == FILE_REGULAR;
    return regular ? status.size : unknown;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of a file of 100 kB: 248 MB of address space, of which a tenth are libraries, 2 seconds, and a GLB of 27 MB. What the largest
 * of real files take for their size, those with subdivision, is about half of it. */
static allowance allowance_for(const settings *s, const stele_options *given, uint64_t input)
{
    const uint64_t megabyte = 1 << 20, most = (uint64_t)1 << 56, size = least(input, most >> 10);
    const double longest = 300, longest_of_all = 999999;
    uint64_t memory = least(160 * megabyte + 800 * size, 1024 * megabyte + 64 * size);
    double processor = fmin(1.5 + 5e-6 * (double)size, longest), asked = s->time_limit ? strtod(s->time_limit, NULL) : 0;
    allowance a = {.input = input, .more_seconds = s->time_limit ? "--time-limit" : "--work-limit"};
    if (s->work_limit)
        processor = fmin(1e-9 * (double)given->work_limit, longest_of_all); /* a unit is a nanosecond */
    a.processor = asked > 0 ? asked : processor;
    a.clock = asked > 0 ? asked : fmax(longest, processor);
    a.memory = s->memory_limit ? least(given->memory_limit, most) : memory;
    a.output = s->memory_limit ? a.memory : least(a.memory, 16 * megabyte + 100 * size);
    return a;
}

/* The usual limits follow the size of what is opened. Where a GLB is much larger than what it was made of, they are for that.
 */
static stele_options limits_after(const stele_options *given, const allowance *a, uint64_t glb)
{
    const uint64_t megabyte = 1 << 20, size = least(a->input, (uint64_t)1 << 46);
    stele_options options = *given;
    if (glb < 128 * 1024 + size)
        return options;
    if (!options.memory_limit)
        options.memory_limit = least(140 * megabyte + 640 * size, 1024 * megabyte + 64 * size);
    if (!options.work_limit)
        options.work_limit = 1200000000 + 2048 * size;
    return options;
}

static bool start_within(importer *child, const job *j, const allowance *most)
{
    char program[PATH_MAX], memory[32], output[32], processor[32], seconds[32];
    const settings *s = j->settings;
    if (!find_program(program))
        return false;
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)most->memory);
    snprintf(output, sizeof output, "%llu", (unsigned long long)most->output);
    snprintf(processor, sizeof processor, "%.6f", fmax(most->processor, 1e-6));
    snprintf(seconds, sizeof seconds, "%.0f", ceil(most->clock));
    char *arguments[16] = {program,     "--scale",     (char *)(s->scale ? s->scale : "1"),
                           "--memory",  memory,        "--output",
                           output,      "--processor", processor,
                           "--seconds", seconds};
    size_t count = 11;
    if (s->embed_textures)
        arguments[count++] = "--embed";
    arguments[count] = (char *)j->path;
    return start(child, arguments);
}

/* Of the files that the model names, as far as it has said. */
static uint64_t bytes_beside(const importer *child)
{
    static const char word[] = "beside ";
    uint64_t bytes = 0;
    for (const char *line = child->said; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, word, sizeof word - 1) == 0)
            bytes = strtoull(line + sizeof word - 1, NULL, 10);
    return bytes;
}

/* ---- What it says ---- */

/* The text of the line that begins with this word, or NULL. */
static const char *text_of(const importer *child, const char *word, char *room, size_t size)
{
    const char *line = line_of(child, word);
    const char *text = line ? strchr(line + strlen(word) + 1, ' ') : NULL;
    if (!text)
        return NULL;
    snprintf(room, size, "%.*s", (int)strcspn(text + 1, "\n"), text + 1);
    return room;
}

/* A line is "SEVERITY COUNT TEXT"; others are none of ours. */
static void report_line(stele_file *file, char *line)
{
    static const struct {
        const char *severity, *id;
    } kinds[] = {{"loss", "loss-import"}, {"warning", "import-repaired"}, {"note", "imported"}};
    char *number = strchr(line, ' '), *text;
    if (!number)
        return;
    unsigned long long count = strtoull(number, &text, 10);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && *text == ' '; i++)
        if (strncmp(line, kinds[i].severity, (size_t)(number - line)) == 0 && !kinds[i].severity[number - line])
            stele_file_report(file, STELE_OK, kinds[i].id, count, text + 1);
}

static void report_lines(stele_file *file, importer *child)
{
    for (char *line = child->said, *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        report_line(file, line);
    }
}

/* ---- Opening ---- */

/* Whether it is more than the structure that fits. */
static bool is_sound(const char *path, const stele_options *given)
{
    stele_options options = *given;
    options.check = STELE_CHECK_SAFE;
    stele_file *file = stele_open(path, &options);
    bool sound = stele_file_status(file) == STELE_OK;
    stele_close(file);
    return sound;
}

bool is_to_be_imported(const job *j, const stele_options *options, const stele_file *file)
{
    stele_status status = stele_file_status(file);
    if (strcmp(j->path, "-") == 0 || j->settings->format || status == STELE_IO || status == STELE_NO_MEMORY ||
        status == STELE_TOO_MUCH_WORK || status == STELE_CANCELLED)
        return false;
    /* names of ours stay ours: what is wrong with such a file is for us to say, unless --import asks for Assimp */
    bool unknown = status == STELE_UNSUPPORTED && !stele_file_format(file) && !stele_format_of_name(j->path);
    return unknown || j->settings->import || (options && is_imported(j->path) && !is_sound(j->path, options));
}

static stele_file *refuse(const stele_options *options, stele_file *file, stele_status status, const char *text)
{
    stele_close(file);
    file = stele_new(options);
    stele_file_report(file, status, "import-failed", 1, text);
    return file;
}

static stele_file *refuse_size(const stele_options *options, stele_file *file, const allowance *most)
{
    char text[160];
    snprintf(text, sizeof text, "what Assimp makes of it is larger than its limit (--memory-limit) allows: %llu bytes",
             (unsigned long long)most->output);
    return refuse(options, file, STELE_IO, text);
}

static stele_file *refuse_memory(const stele_options *options, stele_file *file, const allowance *most)
{
    char text[160];
    snprintf(text, sizeof text, "there is not enough memory for Assimp within its limit (--memory-limit): %llu bytes",
             (unsigned long long)most->memory);
    return refuse(options, file, STELE_IO, text);
}

static stele_file *refuse_time(const stele_options *options, stele_file *file, const allowance *most, bool by_clock)
{
    char text[160];
    snprintf(text, sizeof text, "Assimp took too long to read it, more than its limit (%s) allows: %.3g seconds%s",
             most->more_seconds, by_clock ? most->clock : most->processor, by_clock ? "" : " of a processor");
    return refuse(options, file, STELE_IO, text);
}

static stele_file *explain_signal(const stele_options *options, stele_file *file, const allowance *most, int number)
{
    char text[160];
    if (number == SIGXFSZ)
        return refuse_size(options, file, most);
    if (number == SIGALRM || number == SIGPROF || number == SIGXCPU || number == SIGKILL)
        return refuse_time(options, file, most, number == SIGALRM);
    if (number == SIGSYS)
        snprintf(text, sizeof text, "reading it, Assimp did what its sandbox forbids, and was stopped");
    else
        snprintf(text, sizeof text, "Assimp crashed reading it (%s)", strsignal(number));
    return refuse(options, file, STELE_IO, text);
}

static stele_file *explain_failure(const stele_options *options, stele_file *file, const allowance *most, const importer *child,
                                   int code)
{
    char room[1024];
    const char *text = text_of(child, "error", room, sizeof room);
    if (code == EXIT_IO && text && strncmp(text, NO_MEMORY, strlen(NO_MEMORY)) == 0)
        return refuse_memory(options, file, most);
    stele_status status = code == IMPORT_FAILED ? STELE_DAMAGED : STELE_IO;
    return refuse(options, file, status, text ? text : "stele-import failed, and does not say why");
}

/* The handle of what was handed over; unknown where the child could not help. One of them is closed. */
static stele_file *open_imported(const stele_options *given, const allowance *most, importer *child, int status, imported *glb,
                                 stele_file *unknown)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (code == IMPORT_UNKNOWN)
        return unknown;
    if (code == CANNOT_RUN) {
        stele_file_report(unknown, STELE_UNSUPPORTED, "import-missing", 1,
                          "stele-import cannot be started: is Assimp (Debian: libassimp5) installed?");
        return unknown;
    }
    if (WIFSIGNALED(status))
        return explain_signal(given, unknown, most, WTERMSIG(status));
    if (code)
        return explain_failure(given, unknown, most, child, code);
    stele_close(unknown);
    stele_options options = limits_after(given, most, glb->size);
    stele_file *file = stele_open_memory(glb->data ? glb->data : "", glb->size, &options);
    text_of(child, "format", glb->format, sizeof glb->format);
    report_lines(file, child);
    return file;
}

/* One try. What it named besides itself is in the end part of the input. */
static stele_file *run_importer(job *j, const stele_options *options, allowance *most, stele_file *unknown, bool *again)
{
    importer *child = malloc(sizeof *child);
    imported *glb = calloc(1, sizeof *glb);
    if (!child || !glb) {
        free(child);
        free(glb);
        return refuse(options, unknown, STELE_NO_MEMORY, NO_MEMORY);
    }
    bool started = start_within(child, j, most);
    if (started)
        make_room(child, j->path);
    int status = started ? finish(child) : CANNOT_RUN << 8; /* as waitpid would have it */
    uint64_t beside = started ? bytes_beside(child) : 0;
    *again = *again && status && beside > SMALL_FILE && !interrupted();
    most->input = size_to_import(j->path) + beside;
    bool whole = !started || take_output(child, most->output, glb);
    stele_file *file = unknown;
    if (!*again)
        file = whole ? open_imported(options, most, child, status, glb, unknown) : refuse_size(options, unknown, most);
    glb->process = child->process;
    j->imported = glb;
    forget(child);
    return file;
}

stele_file *import_file(job *j, const stele_options *given, stele_file *unknown)
{
    char program[PATH_MAX];
    if (!find_program(program)) {
        stele_file_report(unknown, STELE_UNSUPPORTED, "import-missing", 1,
                          "stele-import, which reads other formats, is not there: build Stele with Assimp (Debian: "
                          "libassimp-dev)");
        return unknown;
    }
    stele_options options = *given;
    options.format = "glb";
    options.beside = options.name = j->path;
    /* a small file that names large ones may need what is theirs: then it is read once more */
    allowance most = allowance_for(j->settings, given, size_to_import(j->path));
    bool again = true;
    stele_file *file = run_importer(j, &options, &most, unknown, &again);
    if (!again)
        return file;
    free_imported(j);
    most = allowance_for(j->settings, given, most.input);
    again = false;
    return run_importer(j, &options, &most, unknown, &again);
}

/* ---- Which formats ---- */

static char *listed; /* a line for each: its name, a tab, its extensions */

static void list_formats(void)
{
    char program[PATH_MAX];
    char *arguments[] = {program, "--formats", NULL};
    imported text = {0};
    importer *child = find_program(program) ? malloc(sizeof *child) : NULL;
    if (child && start(child, arguments) && finish(child) == 0 && take_output(child, MOST_LINES, &text) && text.data)
        listed = strndup(text.data, text.size);
    if (text.data)
        munmap(text.data, text.size);
    end_process(child ? child->process : 0);
    forget(child);
}

const char *imported_formats(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, list_formats);
    return listed ? listed : "";
}

/* A line after the first, or the end. */
static const char *next_line(const char *line)
{
    size_t length = strcspn(line, "\n");
    return line + length + (line[length] != 0);
}

bool is_imported(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t length = dot && (!slash || dot > slash) ? strlen(dot + 1) : 0;
    if (!length || stele_format_of_name(path))
        return false;
    for (const char *line = imported_formats(); *line; line = next_line(line))
        for (const char *word = line + strcspn(line, "\t\n"); *word && *word != '\n';) {
            size_t size = strcspn(++word, " \n");
            if (size == length && strncasecmp(word, dot + 1, size) == 0)
                return true;
            word += size;
        }
    return false;
}
