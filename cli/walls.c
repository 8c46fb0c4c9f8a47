/* Work on a file that nobody has checked is done by a child, which reads the file, locks itself in, and then can do nothing but
 * read the files beside it, compute, print, and hand over what came out. The parent never looks into the file. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "sandbox/sandbox.h"

static int to_parent = -1, from_parent = -1;
static bool locked;

static bool read_fully(int fd, void *data, size_t size)
{
    for (char *to = data; size;) {
        ssize_t n = read(fd, to, size);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        to += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_fully(int fd, const void *data, size_t size)
{
    for (const char *from = data; size;) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno != EINTR)
            return false;
        from += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* ---- The child ---- */

/* Not one of holes, which may be of any size and takes no room on the disk: the library reads such a file, within its limits.
 */
static bool can_be_read(int fd, struct stat *status)
{
    return fstat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_size / 512 <= status->st_blocks;
}

/* Read, but not looked into: it may be a link to a folder that will not be open any more. */
static void read_model(settings *s, const char *path)
{
    struct stat status;
    int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    char *content = can_be_read(fd, &status) ? malloc((size_t)status.st_size + 1) : NULL;
    if (content && read_fully(fd, content, (size_t)status.st_size)) {
        s->content = content;
        s->content_size = (size_t)status.st_size;
    }
    close(fd);
}

void lock_in(const settings *s, const char *path)
{
    const int writing[] = {STDOUT_FILENO, STDERR_FILENO, to_parent};
    if (locked || to_parent < 0)
        return;
    const char *slash = strrchr(path, '/');
    char *name = strndup(slash ? path : "./", slash ? (size_t)(slash + 1 - path) : 2);
    sandbox walls = {.folder = name ? open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1,
                     .or_anywhere = true,
                     .threads = true,
                     .writing = writing,
                     .writing_count = 3,
                     .memory = MOST_ADDRESS_SPACE,
                     .seconds = s->seconds};
    free(name);
    locked = true;
    sandbox_walls made = sandbox_enter(&walls);
    if (s->verbose && made != SANDBOX_FOLDER)
        complain(stderr, "%s",
                 made == SANDBOX_NONE ? "there is no sandbox: the kernel has no seccomp"
                                      : "the sandbox is not complete: the kernel has no Landlock");
}

bool hand_over(const void *data, size_t size, bool (*deliver)(const void *data, size_t size))
{
    int error = EIO;
    if (to_parent < 0)
        return deliver(data, size);
    bool answered = write_fully(to_parent, &size, sizeof size) && write_fully(to_parent, data, size) &&
                    read_fully(from_parent, &error, sizeof error);
    errno = answered ? error : EIO;
    return answered && !error;
}

/* ---- The parent ---- */

static const size_t most_delivered = (size_t)1 << 28;

static void deliver_from(int fd, int reply, bool (*deliver)(const void *data, size_t size))
{
    size_t size;
    int error = 0;
    if (!read_fully(fd, &size, sizeof size) || size > most_delivered)
        return;
    char *data = malloc(size + 1);
    if (data && read_fully(fd, data, size)) {
        if (!deliver(data, size))
            error = errno ? errno : EIO;
        (void)write_fully(reply, &error, sizeof error);
    }
    free(data);
}

/* For a child that cannot any more. */
static int say(const settings *s, const char *path, const char *what)
{
    bool to_stdout = s->output && strcmp(s->output, "-") == 0;
    if (s->json)
        json_failure(to_stdout ? stderr : stdout, s->verb, path, EXIT_IO, what);
    else
        complain(stderr, "%s: %s", path, what);
    return EXIT_IO;
}

static int exit_code_of_child(const settings *s, pid_t child, const char *path)
{
    int status;
    char text[64];
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return say(s, path, strerror(errno));
    int number = WIFEXITED(status) ? 0 : WTERMSIG(status);
    if (!number && WEXITSTATUS(status) != EXIT_LATE)
        return WEXITSTATUS(status);
    if (!number || number == SIGKILL || number == SIGXCPU || number == SIGALRM)
        return say(s, path, "the time limit has passed");
    snprintf(text, sizeof text, "reading it ended with signal %d", number);
    return say(s, path, text);
}

bool in_child(void)
{
    return to_parent >= 0;
}

/* Its parent is told too, and says so. */
static void end_by_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], SIG_DFL);
}

static int run_child(settings *s, char *path, work_function work, bool (*deliver)(const void *data, size_t size))
{
    int out[2], reply[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return say(s, path, strerror(errno));
    if (pipe2(reply, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return say(s, path, strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would take what comes out */
        close(out[0]);
        close(reply[1]);
        end_by_interrupts();
        to_parent = out[1];
        from_parent = reply[0];
        read_model(s, path);
        if (!s->only_import)
            lock_in(s, path);
        else
            alarm(s->seconds);
        int code = work(s, path);
        exit(fflush(stdout) == 0 && !stdout_error() ? code : EXIT_IO);
    }
    close(out[1]);
    close(reply[0]);
    if (child > 0)
        deliver_from(out[0], reply[1], deliver);
    close(out[0]);
    close(reply[1]);
    return child > 0 ? exit_code_of_child(s, child, path) : say(s, path, strerror(errno));
}

/* What only stele-import can read is read there, behind walls of its own; these then are around what is made of it. */
int behind_walls(const settings *given, char *path, work_function work, bool (*deliver)(const void *data, size_t size))
{
    settings s = *given;
    char jobs[16];
    snprintf(jobs, sizeof jobs, "%u", thread_count(&s)); /* inside nobody says how many processors there are */
    s.jobs = jobs;
    s.no_import = true;
    fflush(stdout);
    prepare_to_be_stopped(&s, path);
    int code = run_child(&s, path, work, deliver);
    if (code != EXIT_TO_BE_IMPORTED)
        return code;
    s.no_import = false;
    s.only_import = true;
    return run_child(&s, path, work, deliver);
}
