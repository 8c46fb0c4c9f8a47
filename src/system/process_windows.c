#ifdef _WIN32

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

/* ---- Beginning ---- */

static char *utf8(const wchar_t *text)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *copy = size ? malloc((size_t)size) : NULL;
    if (copy)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, copy, size, NULL, NULL);
    return copy;
}

typedef struct words {
    char **list; /* with NULL behind the last */
    size_t count;
} words;

/* Takes the word over; NULL is one that there was no memory for. */
static bool add_word(words *w, char *word)
{
    char **list = realloc(w->list, (w->count + 2) * sizeof *list);
    w->list = list ? list : w->list;
    if (!list || !word) {
        free(word);
        return false;
    }
    list[w->count++] = word;
    list[w->count] = NULL;
    return true;
}

/* Windows keeps arguments as UTF-16; the C library has lost what its code page has no letters for. */
static void take_arguments(int *argc, char ***argv)
{
    int count = 0;
    words w = {0};
    wchar_t **given = CommandLineToArgvW(GetCommandLineW(), &count);
    bool good = given && count;
    for (int i = 0; good && i < count; i++)
        good = add_word(&w, utf8(given[i]));
    if (good) {
        *argc = (int)w.count;
        *argv = w.list;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files that a pattern matches, in order; what matches nothing is what it is. False without memory. */
static bool add_matches(words *w, const char *pattern)
{
    enum { MOST = 4096 };
    wchar_t path[MOST + MAX_PATH];
    WIN32_FIND_DATAW found;
    bool fits = MultiByteToWideChar(CP_UTF8, 0, pattern, -1, path, MOST);
    size_t first = w->count, folder = fits ? wcslen(path) : 0;
    while (folder && !wcschr(L"/\\:", path[folder - 1]))
        folder--;
    bool names_many = fits && wcspbrk(path + folder, L"*?");
    HANDLE search = names_many ? FindFirstFileW(path, &found) : INVALID_HANDLE_VALUE;
    if (search == INVALID_HANDLE_VALUE)
        return add_word(w, _strdup(pattern));
    bool good = true;
    do {
        wcscpy(path + folder, found.cFileName);
        if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0)
            good = good && add_word(w, utf8(path));
    } while (FindNextFileW(search, &found));
    FindClose(search);
    qsort(w->list + first, w->count - first, sizeof *w->list, by_text);
    return good && (w->count > first || add_word(w, _strdup(pattern)));
}

void st_expand_patterns(char ***operands, size_t *count)
{
    words w = {0};
    bool good = *count;
    for (size_t i = 0; good && i < *count; i++)
        good = add_matches(&w, (*operands)[i]);
    if (good) {
        *operands = w.list;
        *count = w.count;
    }
}

void st_process_begin(int *argc, char ***argv)
{
    for (int stream = STANDARD_INPUT; stream <= STANDARD_ERROR; stream++) {
        DWORD mode;
        HANDLE handle = (HANDLE)_get_osfhandle(stream);
        _setmode(stream, _O_BINARY);
        if (stream != STANDARD_INPUT && GetConsoleMode(handle, &mode))
            SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
    SetConsoleOutputCP(CP_UTF8);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX); /* nobody wants a window that asks for a disk */
    take_arguments(argc, argv);
}

/* ---- Interrupts ---- */

static void (*interrupted)(int number);

static BOOL WINAPI on_control(DWORD event)
{
    interrupted(SIGINT);
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(5000); /* the process ends when this returns: until then half-written files can go */
    return TRUE;
}

void st_on_interrupts(void (*remember)(int number))
{
    interrupted = remember;
    SetConsoleCtrlHandler(on_control, TRUE);
}

void st_end_by(int number)
{
    _exit(128 + number);
}

void st_interrupt(pthread_t thread, int number)
{
    (void)thread;
    (void)number;
}

enum { TIME_LIMIT = 14 }; /* SIGALRM elsewhere */

static void (*when_late)(int number);
static HANDLE timer;

static void CALLBACK on_timer(void *context, BOOLEAN fired)
{
    (void)context;
    (void)fired;
    if (when_late)
        when_late(TIME_LIMIT);
}

void st_on_time_limit(void (*late)(int number))
{
    when_late = late;
}

void st_limit_time(unsigned seconds)
{
    if (timer)
        (void)DeleteTimerQueueTimer(NULL, timer, NULL);
    timer = NULL;
    if (seconds)
        (void)CreateTimerQueueTimer(&timer, NULL, on_timer, NULL, seconds * 1000, 0, WT_EXECUTEONLYONCE);
}

void st_limit_memory(uint64_t bytes)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY,
                                                   .ProcessMemoryLimit = (SIZE_T)bytes};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (job && SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits))
        (void)AssignProcessToJobObject(job, GetCurrentProcess());
}

/* ---- Surroundings ---- */

bool st_is_terminal(int stream)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(stream), &mode);
}

unsigned st_processors(void)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return system.dwNumberOfProcessors ? system.dwNumberOfProcessors : 1;
}

double st_seconds(void)
{
    LARGE_INTEGER now, each;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&each);
    return (double)now.QuadPart / (double)each.QuadPart;
}

void st_write_whole_lines(FILE *stream)
{
    (void)stream; /* there are no such streams: it would keep lines until it is full */
}

/* The C library has no word of its own for that. */
bool st_reader_left(int error)
{
    return error == EPIPE || error == EINVAL;
}

bool st_discard(FILE *stream)
{
    return freopen("NUL", "wb", stream);
}

/* ---- A stream into memory: a file that Windows keeps there as long as it can ---- */

bool st_memory_open(memory_stream *m)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    *m = (memory_stream){0};
    if (!GetTempPathW(MAX_PATH, folder) || !GetTempFileNameW(folder, L"ste", 0, name))
        return false;
    HANDLE handle = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    int fd = handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, _O_BINARY | _O_RDWR);
    m->file = fd < 0 ? NULL : _fdopen(fd, "w+b");
    return m->file;
}

bool st_memory_close(memory_stream *m)
{
    bool whole = fflush(m->file) == 0 && !ferror(m->file);
    long long size = _ftelli64(m->file);
    rewind(m->file);
    m->data = size < 0 ? NULL : malloc((size_t)size + 1);
    m->size = m->data ? fread(m->data, 1, (size_t)size, m->file) : 0;
    if (m->data)
        m->data[m->size] = 0;
    whole = whole && m->data && m->size == (size_t)size;
    return fclose(m->file) == 0 && whole;
}

#endif
