/* Each wall of the sandbox, by running into it: a child enters, does one thing, and says how it went by its exit code. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/sandbox.h"

/* How a child ended: its exit code, or minus the signal. */
enum { DONE = 0, REFUSED = 1, NO_SANDBOX = 77 };

static char folder[64], outside[64];
static int pipe_ends[2];

typedef int (*deed)(void);

static sandbox_walls enter(bool with_folder)
{
    int descriptor = with_folder ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    return sandbox_enter(
        &(sandbox){.folder = descriptor, .writing = &pipe_ends[1], .writing_count = 1, .memory = 256u << 20, .seconds = 2});
}

static int ended(deed deed, bool with_folder)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        sandbox_walls walls = enter(with_folder);
        _exit(walls == SANDBOX_NONE ? NO_SANDBOX : deed());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int open_there(const char *name, int flags)
{
    char path[128];
    int descriptor = openat(AT_FDCWD, strcat(strcat(strcpy(path, folder), "/"), name), flags, 0600);
    return descriptor >= 0 ? DONE : errno == EACCES ? REFUSED : 2;
}

static int read_beside(void)
{
    return open_there("model", O_RDONLY);
}

static int read_below(void)
{
    return open_there("below/texture", O_RDONLY);
}

static int read_outside(void)
{
    return open(outside, O_RDONLY) >= 0 ? DONE : errno == EACCES ? REFUSED : 2;
}

static int read_through_dots(void)
{
    char path[128];
    const char *name = strrchr(outside, '/') + 1;
    return openat(AT_FDCWD, strcat(strcat(strcpy(path, folder), "/../"), name), O_RDONLY) >= 0 ? DONE : REFUSED;
}

static int read_through_link(void)
{
    return open_there("link", O_RDONLY);
}

static int read_system_file(void)
{
    return open("/etc/passwd", O_RDONLY) >= 0 ? DONE : errno == EACCES ? REFUSED : 2;
}

static int list_folder(void)
{
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY);
    return descriptor >= 0 ? DONE : errno == EACCES ? REFUSED : 2;
}

static int write_file(void)
{
    return open_there("model", O_WRONLY);
}

static int make_file(void)
{
    return open_there("new", O_RDONLY | O_CREAT);
}

static int cut_file(void)
{
    return open_there("model", O_RDONLY | O_TRUNC);
}

static int write_to_pipe(void)
{
    return write(pipe_ends[1], "x", 1) == 1 ? DONE : REFUSED;
}

static int write_elsewhere(void)
{
    return write(STDERR_FILENO, "x", 1) == 1 ? DONE : REFUSED;
}

static int remove_file(void)
{
    return unlink(folder) == 0 ? DONE : REFUSED;
}

static int make_folder(void)
{
    return mkdir("/tmp/never", 0700) == 0 ? DONE : REFUSED;
}

static int call_out(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? DONE : REFUSED;
}

static int start_process(void)
{
    return fork() >= 0 ? DONE : REFUSED;
}

static int run_program(void)
{
    char *arguments[] = {"/bin/true", NULL};
    execv(arguments[0], arguments);
    return REFUSED;
}

static int watch_others(void)
{
    return (int)syscall(SYS_ptrace, 0, 0, 0, 0) == 0 ? DONE : REFUSED;
}

static int signal_parent(void)
{
    return syscall(SYS_tgkill, getppid(), getppid(), 0) == 0 ? DONE : REFUSED;
}

static int run_data(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? REFUSED
                                                                                                                  : DONE;
}

static int run_data_later(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0 ? DONE : REFUSED;
}

static int lift_limits(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_CPU, &limit) == 0 ? DONE : REFUSED;
}

static int stop_the_clock(void)
{
    alarm(0);
    return DONE;
}

static int take_all_memory(void)
{
    return mmap(NULL, 1u << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? REFUSED : DONE;
}

static int write_much(void)
{
    bool far = lseek(pipe_ends[1], 256 << 20, SEEK_SET) > 0;
    return far && write(pipe_ends[1], "x", 1) == 1 ? DONE : REFUSED;
}

static int never_end(void)
{
    volatile bool going = true;
    while (going)
        ;
    return DONE;
}

static int give_up(void)
{
    abort();
}

static int compute(void)
{
    char *memory = malloc(1 << 20);
    memset(memory, 1, 1 << 20);
    free(memory);
    return DONE;
}

/* ---- The walls ---- */

static void test_what_reading_a_model_needs(void **state)
{
    (void)state;
    assert_int_equal(ended(read_beside, true), DONE);
    assert_int_equal(ended(read_below, true), DONE);
    assert_int_equal(ended(write_to_pipe, true), DONE);
    assert_int_equal(ended(compute, true), DONE);
    assert_int_equal(ended(give_up, true), -SIGABRT);
}

static void test_no_file_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(ended(read_outside, true), REFUSED);
    assert_int_equal(ended(read_through_dots, true), REFUSED);
    assert_int_equal(ended(read_through_link, true), REFUSED);
    assert_int_equal(ended(read_system_file, true), REFUSED);
    assert_int_equal(ended(list_folder, true), REFUSED);
}

static void test_no_file_at_all_without_a_folder(void **state)
{
    (void)state;
    assert_int_equal(ended(read_beside, false), REFUSED);
    assert_int_equal(ended(read_system_file, false), REFUSED);
    assert_int_equal(ended(compute, false), DONE);
}

static void test_nothing_is_written(void **state)
{
    char path[128];
    struct stat status;
    (void)state;
    assert_int_equal(ended(write_file, true), REFUSED);
    assert_int_equal(ended(make_file, true), REFUSED);
    assert_int_equal(ended(cut_file, true), REFUSED);
    assert_int_equal(ended(write_elsewhere, true), -SIGSYS);
    assert_int_equal(ended(remove_file, true), -SIGSYS);
    assert_int_equal(ended(make_folder, true), -SIGSYS);
    assert_int_equal(stat(strcat(strcat(strcpy(path, folder), "/"), "model"), &status), 0);
    assert_int_equal(status.st_size, 5);
    assert_int_not_equal(access(strcat(strcat(strcpy(path, folder), "/"), "new"), F_OK), 0);
}

static void test_nobody_is_reached(void **state)
{
    (void)state;
    assert_int_equal(ended(call_out, true), -SIGSYS);
    assert_int_equal(ended(start_process, true), -SIGSYS);
    assert_int_equal(ended(run_program, true), -SIGSYS);
    assert_int_equal(ended(watch_others, true), -SIGSYS);
    assert_int_equal(ended(signal_parent, true), -SIGSYS);
}

static void test_data_is_never_code(void **state)
{
    (void)state;
    assert_int_equal(ended(run_data, true), REFUSED);
    assert_int_equal(ended(run_data_later, true), REFUSED);
}

static void test_limits_hold(void **state)
{
    (void)state;
    assert_int_equal(ended(take_all_memory, true), REFUSED);
    assert_int_equal(ended(lift_limits, true), REFUSED);
    assert_int_equal(ended(stop_the_clock, true), -SIGSYS);
    int end = ended(never_end, true);
    assert_true(end == -SIGALRM || end == -SIGKILL);
}

static void test_output_has_a_limit(void **state)
{
    int pipe_end = pipe_ends[1];
    (void)state;
    pipe_ends[1] = memfd_create("output", MFD_CLOEXEC);
    assert_true(pipe_ends[1] >= 0);
    assert_int_equal(ended(write_much, true), -SIGXFSZ);
    close(pipe_ends[1]);
    pipe_ends[1] = pipe_end;
}

/* ---- A folder to look at ---- */

static void write_text(const char *in, const char *name)
{
    char path[128];
    int file = open(strcat(strcat(strcpy(path, in), "/"), name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(file, "model", 5), 5);
    close(file);
}

static int prepare(void **state)
{
    char path[128];
    (void)state;
    strcpy(folder, "/tmp/sandbox-test-XXXXXX");
    strcpy(outside, "/tmp/sandbox-other-XXXXXX");
    int other = mkstemp(outside);
    if (!mkdtemp(folder) || other < 0 || pipe(pipe_ends) != 0)
        return -1;
    close(other);
    write_text(folder, "model");
    mkdir(strcat(strcpy(path, folder), "/below"), 0700);
    write_text(path, "texture");
    return symlink(outside, strcat(strcpy(path, folder), "/link"));
}

static int clean(void **state)
{
    static const char *const names[] = {"/model", "/below/texture", "/below", "/link", ""};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(strcat(strcpy(path, folder), names[i]));
    return remove(outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_reading_a_model_needs),
        cmocka_unit_test(test_no_file_elsewhere),
        cmocka_unit_test(test_no_file_at_all_without_a_folder),
        cmocka_unit_test(test_nothing_is_written),
        cmocka_unit_test(test_nobody_is_reached),
        cmocka_unit_test(test_data_is_never_code),
        cmocka_unit_test(test_limits_hold),
        cmocka_unit_test(test_output_has_a_limit),
    };
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no cores of children that die on purpose */
    return cmocka_run_group_tests(tests, prepare, clean);
}
