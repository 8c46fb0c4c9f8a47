#define _GNU_SOURCE

#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

/* ---- Limits ---- */

/* By the system call, whose limits have 64 bits on every machine and with every C library. */
static void limit(int resource, uint64_t most)
{
    struct {
        uint64_t soft, hard;
    } limits;
    if (syscall(SYS_prlimit64, 0, resource, NULL, &limits) != 0)
        return;
    if (limits.hard < most) /* no limit is the greatest number */
        most = limits.hard;
    limits.soft = limits.hard = most;
    (void)syscall(SYS_prlimit64, 0, resource, &limits, NULL);
}

static void limit_process(const sandbox *s)
{
    limit(RLIMIT_CORE, 0); /* a crash leaves nothing behind */
    if (s->memory)
        limit(RLIMIT_FSIZE, s->memory); /* a file in memory may be what we write to */
#ifndef STELE_SANITIZE                  /* which takes terabytes of address space, and uses little */
    if (s->memory)
        limit(RLIMIT_AS, s->memory);
#endif
    if (s->seconds) {
        limit(RLIMIT_CPU, s->seconds);
        alarm(s->seconds);
    }
}

/* ---- Which files: Landlock ---- */

/* Everything that the kernel can forbid about files, the network and other processes is; then reading in the folder is allowed.
 * What a kernel does not know yet is left out of what we ask for. */
static bool confine_files(int folder)
{
    static const struct {
        long least_version;
        uint64_t files;
    } known[] = {
        {1, (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1}, /* the first to the last of version 1 */
        {2, 1ull << 13},                             /* linking and renaming between folders */
        {3, 1ull << 14},                             /* truncating */
        {5, 1ull << 15},                             /* ioctl of devices */
    };
    struct {
        uint64_t files, network, scope;
    } rules = {0, 0, 0};
    struct landlock_path_beneath_attr reading = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE, .parent_fd = folder};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        rules.files |= version >= known[i].least_version ? known[i].files : 0;
    rules.network = version >= 4 ? 3 : 0; /* binding and connecting */
    rules.scope = version >= 6 ? 3 : 0;   /* abstract sockets, signals */
    size_t size = version >= 6 ? sizeof rules : version >= 4 ? offsetof(__typeof__(rules), scope) : sizeof rules.files;
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    bool good = set >= 0;
    if (good && folder >= 0)
        good = syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &reading, 0) == 0;
    good = good && syscall(SYS_landlock_restrict_self, set, 0) == 0;
    if (set >= 0)
        close(set);
    return good;
}

/* ---- Which calls: seccomp ---- */

#if defined(OUR_ARCHITECTURE) && !defined(STELE_SANITIZE)

/* What computing, reading and ending need. */
static const int allowed[] = {
    SYS_read,          SYS_pread64,         SYS_readv,   SYS_lseek,      SYS_close,       SYS_dup,          SYS_fstat,
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
    SYS_munmap,        SYS_mremap,          SYS_madvise, SYS_brk,        SYS_futex,       SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn,  SYS_restart_syscall, SYS_getpid,  SYS_gettid,     SYS_sched_yield, SYS_readlinkat,   SYS_getrandom,
    SYS_clock_gettime, SYS_gettimeofday,    SYS_exit,    SYS_exit_group,
};

/* What libraries try and can do without. */
static const int refused[] = {
#ifdef SYS_access
    SYS_access,
#endif
#ifdef SYS_stat
    SYS_stat,      SYS_lstat,
#endif
#ifdef SYS_open
    SYS_open,
#endif
#ifdef SYS_readlink
    SYS_readlink,
#endif
    SYS_faccessat, SYS_statx, SYS_getcwd, SYS_ioctl, SYS_sysinfo, SYS_uname, SYS_sched_getaffinity, SYS_prlimit64, SYS_fcntl,
};

enum { MOST_STEPS = 160 };

typedef struct filter {
    struct sock_filter steps[MOST_STEPS];
    unsigned short count;
} filter;

static void add(filter *f, struct sock_filter step)
{
    if (f->count < MOST_STEPS)
        f->steps[f->count++] = step;
}

static void load(filter *f, size_t offset)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Little-endian, as all of our architectures are: the low half comes first. */
static void load_argument(filter *f, unsigned index)
{
    load(f, offsetof(struct seccomp_data, args) + 8 * index);
}

static void end(filter *f, uint32_t action)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Skips that many steps unless what is loaded is the number. */
static void only_if(filter *f, uint32_t number, uint8_t skipped)
{
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skipped));
}

static void answer(filter *f, int call, uint32_t action)
{
    only_if(f, (uint32_t)call, 1);
    end(f, action);
}

/* A call that is allowed only while its argument has none of these bits; otherwise it fails. */
static void allow_without(filter *f, int call, unsigned argument, uint32_t bits)
{
    only_if(f, (uint32_t)call, 4);
    load_argument(f, argument);
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0));
    end(f, SECCOMP_RET_ALLOW);
    end(f, SECCOMP_RET_ERRNO | EACCES);
}

/* A call that is allowed only if its first argument is one of these. */
static void allow_for(filter *f, int call, const int *numbers, unsigned count)
{
    only_if(f, (uint32_t)call, (uint8_t)(2 + 2 * count));
    load_argument(f, 0);
    for (unsigned i = 0; i < count; i++)
        answer(f, numbers[i], SECCOMP_RET_ALLOW);
    end(f, SECCOMP_RET_KILL_PROCESS);
}

/* A thread is a process that shares everything. What clone3 asks for a filter cannot see, and libraries then use the old way.
 */
static void allow_threads(filter *f)
{
    only_if(f, SYS_clone, 4);
    load_argument(f, 0);
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    end(f, SECCOMP_RET_ALLOW);
    end(f, SECCOMP_RET_KILL_PROCESS);
    answer(f, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    answer(f, SYS_set_robust_list, SECCOMP_RET_ALLOW);
#ifdef SYS_rseq
    answer(f, SYS_rseq, SECCOMP_RET_ALLOW);
#endif
}

static bool confine_calls(const sandbox *s, bool opening)
{
    filter f = {.count = 0};
    int ourselves = getpid();
    load(&f, offsetof(struct seccomp_data, arch));
    only_if(&f, OUR_ARCHITECTURE, 1);
    add(&f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
    end(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        answer(&f, allowed[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        answer(&f, refused[i], SECCOMP_RET_ERRNO | EACCES);
    if (opening)
        allow_without(&f, SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC);
    else
        answer(&f, SYS_openat, SECCOMP_RET_ERRNO | EACCES);
    allow_without(&f, SYS_mmap, 2, PROT_EXEC);
    allow_without(&f, SYS_mprotect, 2, PROT_EXEC);
    allow_for(&f, SYS_write, s->writing, s->writing_count);
    allow_for(&f, SYS_writev, s->writing, s->writing_count);
    allow_for(&f, SYS_tgkill, &ourselves, 1); /* abort */
    if (s->threads)
        allow_threads(&f);
    end(&f, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {f.count, f.steps};
    return f.count < MOST_STEPS && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#elif !defined(STELE_SANITIZE)

static bool confine_calls(const sandbox *s, bool opening)
{
    (void)s;
    (void)opening;
    return false;
}

#endif

sandbox_walls sandbox_enter(const sandbox *s)
{
    if (s->writing_count > SANDBOX_MOST_WRITING || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return SANDBOX_NONE;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit_process(s);
    bool confined = confine_files(s->folder), opening = confined && s->folder >= 0;
#ifndef STELE_SANITIZE /* which makes calls of its own */
    if (!confine_calls(s, opening))
        return SANDBOX_NONE;
#endif
    return opening ? SANDBOX_FOLDER : SANDBOX_CLOSED;
}
