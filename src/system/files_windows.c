#ifdef _WIN32

/* Paths are UTF-8 with either slash; Windows gets them as UTF-16, whole and with the prefix that lifts its limit of 260
 * characters. Files are read and not mapped: a file that is mapped cannot be replaced, not even by the one who maps it. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

enum { WIDE_ROOM = PATH_ROOM + 16 };

static const DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/* ---- Errors ---- */

static int errno_of(DWORD error)
{
    static const struct {
        DWORD error;
        int number;
    } known[] = {{ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
                 {ERROR_INVALID_DRIVE, ENOENT},       {ERROR_BAD_NETPATH, ENOENT},
                 {ERROR_ACCESS_DENIED, EACCES},       {ERROR_SHARING_VIOLATION, EACCES},
                 {ERROR_LOCK_VIOLATION, EACCES},      {ERROR_WRITE_PROTECT, EROFS},
                 {ERROR_ALREADY_EXISTS, EEXIST},      {ERROR_FILE_EXISTS, EEXIST},
                 {ERROR_DISK_FULL, ENOSPC},           {ERROR_HANDLE_DISK_FULL, ENOSPC},
                 {ERROR_DIRECTORY, ENOTDIR},          {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                 {ERROR_OUTOFMEMORY, ENOMEM},         {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
                 {ERROR_INVALID_NAME, EINVAL},        {ERROR_BAD_PATHNAME, EINVAL},
                 {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                 {ERROR_NOT_SUPPORTED, ENOTSUP},      {ERROR_INVALID_FUNCTION, ENOTSUP},
                 {ERROR_TOO_MANY_LINKS, EMLINK},      {ERROR_NO_DATA, EPIPE},
                 {ERROR_BROKEN_PIPE, EPIPE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].error == error)
            return known[i].number;
    return EIO;
}

static int outcome(BOOL good)
{
    return good ? 0 : errno_of(GetLastError());
}

/* ---- Paths ---- */

/* As Windows takes it; NULL and errno if it cannot be. */
static wchar_t *wide(const char *path, wchar_t room[WIDE_ROOM])
{
    wchar_t given[WIDE_ROOM];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, WIDE_ROOM - 16)) {
        errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
        return NULL;
    }
    for (wchar_t *c = given; *c; c++)
        *c = *c == '/' ? '\\' : *c;
    bool network = wcsncmp(given, L"\\\\", 2) == 0, whole = network && (given[2] == '?' || given[2] == '.');
    wchar_t full[WIDE_ROOM];
    DWORD length = whole ? 0 : GetFullPathNameW(given, WIDE_ROOM - 16, full, NULL);
    if (whole || !length || wcsncmp(full, L"\\\\.\\", 4) == 0) { /* a device is a device */
        wcscpy(room, whole || !length ? given : full);
        return room;
    }
    if (length >= WIDE_ROOM - 16) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    wcscpy(room, network ? L"\\\\?\\UNC\\" : L"\\\\?\\");
    wcscat(room, full + (network ? 2 : 0));
    return room;
}

bool st_path_is_absolute(const char *path)
{
    return *path == '/' || *path == '\\' || (*path && path[1] == ':');
}

char st_second_slash(void)
{
    return '\\';
}

static int fold(const char *c)
{
    return *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : (unsigned char)*c;
}

/* Letters beyond ASCII count as different here: if they are not for the file system, it will say so. */
int st_path_compare(const char *a, const char *b)
{
    while (*a && fold(a) == fold(b)) {
        a++;
        b++;
    }
    return fold(a) - fold(b);
}

/* Devices have their names in every folder, with any extension. */
static bool is_device(const char *part, size_t length)
{
    static const char *const names[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    size_t stem = 0;
    while (stem < length && part[stem] != '.')
        stem++;
    while (stem && part[stem - 1] == ' ')
        stem--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == stem && _strnicmp(part, names[i], stem) == 0)
            return true;
    bool numbered = stem >= 4 && (_strnicmp(part, "com", 3) == 0 || _strnicmp(part, "lpt", 3) == 0);
    bool raised =
        stem == 5 && (strncmp(part + 3, "¹", 2) == 0 || strncmp(part + 3, "²", 2) == 0 || strncmp(part + 3, "³", 2) == 0);
    return numbered && (raised || (stem == 4 && part[3] >= '0' && part[3] <= '9'));
}

bool st_name_is_possible(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || strchr("<>:\"|?*\\/", name[i]))
            return false;
    return length && name[length - 1] != '.' && name[length - 1] != ' ' && !is_device(name, length);
}

/* ---- What a file is ---- */

/* What leads elsewhere; others (a cloud's placeholders) are files like any other. */
static bool is_link(HANDLE handle, DWORD attributes)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return attributes & FILE_ATTRIBUTE_REPARSE_POINT &&
           GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

static int status_of(HANDLE handle, file_status *status)
{
    BY_HANDLE_FILE_INFORMATION found;
    *status = (file_status){.kind = FILE_OTHER, .mode = NO_MODE};
    if (GetFileType(handle) != FILE_TYPE_DISK)
        return 0;
    if (!GetFileInformationByHandle(handle, &found))
        return errno_of(GetLastError());
    uint64_t ticks = (uint64_t)found.ftLastWriteTime.dwHighDateTime << 32 | found.ftLastWriteTime.dwLowDateTime;
    status->kind = is_link(handle, found.dwFileAttributes)             ? FILE_LINK
                   : found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FILE_FOLDER
                                                                       : FILE_REGULAR;
    status->size = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow;
    status->device = found.dwVolumeSerialNumber;
    status->inode = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    status->modified[0] = (int64_t)(ticks / 10000000);
    status->modified[1] = (int64_t)(ticks % 10000000) * 100;
    return 0;
}

static int status_of_path(const wchar_t *path, bool follow, file_status *status)
{
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    HANDLE handle =
        path ? CreateFileW(path, FILE_READ_ATTRIBUTES, share_all, NULL, OPEN_EXISTING, flags, NULL) : INVALID_HANDLE_VALUE;
    if (handle == INVALID_HANDLE_VALUE)
        return path ? errno_of(GetLastError()) : errno;
    int error = status_of(handle, status);
    CloseHandle(handle);
    return error;
}

int st_path_status(const char *path, bool follow, file_status *status)
{
    wchar_t room[WIDE_ROOM];
    return status_of_path(wide(path, room), follow, status);
}

int st_path_resolve(const char *path, char resolved[PATH_ROOM])
{
    wchar_t room[WIDE_ROOM], final[WIDE_ROOM];
    const wchar_t *given = wide(path, room);
    HANDLE handle =
        given ? CreateFileW(given, 0, share_all, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL) : INVALID_HANDLE_VALUE;
    if (handle == INVALID_HANDLE_VALUE)
        return given ? errno_of(GetLastError()) : errno;
    DWORD length = GetFinalPathNameByHandleW(handle, final, WIDE_ROOM, 0);
    CloseHandle(handle);
    if (!length || length >= WIDE_ROOM || !WideCharToMultiByte(CP_UTF8, 0, final, -1, resolved, PATH_ROOM, NULL, NULL))
        return ENAMETOOLONG;
    for (char *c = resolved; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    return 0;
}

int st_path_make_folder(const char *path)
{
    wchar_t room[WIDE_ROOM];
    const char *name = path + strlen(path);
    while (name > path && name[-1] != '/' && name[-1] != '\\')
        name--;
    bool drive = *name && name[1] == ':' && !name[2], here = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    if (drive || here || !*name)
        return EEXIST;
    if (!st_name_is_possible(name))
        return EINVAL;
    return wide(path, room) ? outcome(CreateDirectoryW(room, NULL)) : errno;
}

int st_path_remove(const char *path)
{
    wchar_t room[WIDE_ROOM];
    return wide(path, room) ? outcome(DeleteFileW(room)) : errno;
}

/* ---- Descriptors ---- */

/* One of the C library's, which closes the handle with it; -1 and errno on failure. */
static int descriptor(HANDLE handle, int flags)
{
    if (handle == INVALID_HANDLE_VALUE) {
        errno = errno_of(GetLastError());
        return -1;
    }
    int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0)
        CloseHandle(handle);
    return fd;
}

/* Folders too: what they are is seen by their status. */
static int open_to_read(const wchar_t *path, bool follow)
{
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_SEQUENTIAL_SCAN | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    return path ? descriptor(CreateFileW(path, GENERIC_READ, share_all, NULL, OPEN_EXISTING, flags, NULL), _O_RDONLY) : -1;
}

int st_fd_open(const char *path)
{
    wchar_t room[WIDE_ROOM];
    return open_to_read(wide(path, room), true);
}

int st_fd_rewrite(const char *path)
{
    wchar_t room[WIDE_ROOM];
    if (!wide(path, room))
        return -1;
    return descriptor(CreateFileW(room, GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL),
                      _O_WRONLY);
}

int st_fd_status(int fd, file_status *status)
{
    HANDLE handle = (HANDLE)_get_osfhandle(fd);
    return handle == INVALID_HANDLE_VALUE ? EBADF : status_of(handle, status);
}

size_t st_fd_read(int fd, void *buffer, size_t size)
{
    int n = _read(fd, buffer, size < INT_MAX ? (unsigned)size : INT_MAX);
    return n < 0 ? SIZE_MAX : (size_t)n;
}

/* Not by the C library, which has no number for some errors that we have a word for. */
size_t st_fd_write(int fd, const void *data, size_t size)
{
    DWORD written = 0;
    if (WriteFile((HANDLE)_get_osfhandle(fd), data, size < INT_MAX ? (DWORD)size : INT_MAX, &written, NULL))
        return written;
    errno = errno_of(GetLastError());
    return SIZE_MAX;
}

uint64_t st_fd_stored(int fd, uint64_t size)
{
    FILE_STANDARD_INFO info;
    FILE_COMPRESSION_INFO packed;
    HANDLE handle = (HANDLE)_get_osfhandle(fd);
    if (!GetFileInformationByHandleEx(handle, FileStandardInfo, &info, sizeof info))
        return size;
    if (GetFileInformationByHandleEx(handle, FileCompressionInfo, &packed, sizeof packed) && packed.CompressionFormat)
        return size; /* packed bytes are stored all the same */
    uint64_t stored = (uint64_t)info.AllocationSize.QuadPart;
    return stored && stored < size ? stored : size;
}

const void *st_fd_map(int fd, uint64_t size)
{
    (void)fd;
    (void)size;
    return NULL;
}

void st_unmap(const void *map, uint64_t size)
{
    (void)map;
    (void)size;
}

int st_fd_set_mode(int fd, uint32_t mode)
{
    (void)fd;
    (void)mode;
    return 0;
}

int st_fd_sync(int fd)
{
    return _commit(fd) == 0 ? 0 : errno;
}

int st_fd_close(int fd)
{
    return _close(fd) == 0 ? 0 : errno;
}

/* ---- Folders ---- */

/* A folder that is open cannot be renamed or replaced, nor can those above it: its path stays what it was. */
typedef struct open_folder {
    HANDLE handle;
    size_t length;
    wchar_t path[]; /* with a backslash at its end */
} open_folder;

static folder open_at(const wchar_t *path, bool follow)
{
    file_status status;
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    size_t length = wcslen(path);
    if (length + 2 >= WIDE_ROOM) { /* path_in wants room for a backslash and a letter */
        errno = ENAMETOOLONG;
        return NO_FOLDER;
    }
    open_folder *f = malloc(sizeof *f + (length + 2) * sizeof *f->path);
    if (!f)
        return NO_FOLDER;
    f->handle = CreateFileW(path, FILE_LIST_DIRECTORY | FILE_TRAVERSE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                            flags, NULL);
    int error = f->handle == INVALID_HANDLE_VALUE ? errno_of(GetLastError()) : status_of(f->handle, &status);
    if (!error && status.kind != FILE_FOLDER)
        error = ENOTDIR;
    if (error) {
        if (f->handle != INVALID_HANDLE_VALUE)
            CloseHandle(f->handle);
        free(f);
        errno = error;
        return NO_FOLDER;
    }
    wcscpy(f->path, path);
    if (path[length - 1] != '\\')
        wcscpy(f->path + length++, L"\\");
    f->length = length;
    return (folder)f;
}

folder st_folder_open(const char *path)
{
    wchar_t room[WIDE_ROOM];
    return wide(path, room) ? open_at(room, true) : NO_FOLDER;
}

/* The path of a name in it; NULL and errno if there is none. */
static wchar_t *path_in(folder in, const char *name, wchar_t room[WIDE_ROOM])
{
    const open_folder *f = (const open_folder *)in;
    wcscpy(room, f->path);
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, room + f->length, (int)(WIDE_ROOM - f->length)))
        return room;
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
    return NULL;
}

folder st_folder_open_below(folder in, const char *name)
{
    wchar_t room[WIDE_ROOM];
    return path_in(in, name, room) ? open_at(room, false) : NO_FOLDER;
}

void st_folder_close(folder f)
{
    CloseHandle(((open_folder *)f)->handle);
    free((open_folder *)f);
}

/* Where a link leads is not looked at: out, as far as we are concerned. */
bool st_name_link(folder in, const char *name, char target[PATH_ROOM])
{
    file_status status;
    bool link = st_name_status(in, name, false, &status) == 0 && status.kind == FILE_LINK;
    memcpy(target, link ? "/" : "", link ? 2 : 1);
    return link;
}

int st_name_status(folder in, const char *name, bool follow, file_status *status)
{
    wchar_t room[WIDE_ROOM];
    return status_of_path(path_in(in, name, room), follow, status);
}

int st_name_open(folder in, const char *name, bool follow)
{
    wchar_t room[WIDE_ROOM];
    return open_to_read(path_in(in, name, room), follow);
}

int st_name_create(folder in, const char *name, bool only_ours)
{
    wchar_t room[WIDE_ROOM];
    (void)only_ours;
    if (!path_in(in, name, room))
        return -1;
    DWORD share = FILE_SHARE_READ | FILE_SHARE_DELETE;
    return descriptor(CreateFileW(room, GENERIC_WRITE, share, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL), _O_WRONLY);
}

int st_name_open_device(folder in, const char *name, bool follow)
{
    (void)in;
    (void)name;
    (void)follow;
    errno = EACCES;
    return -1;
}

uint32_t st_folder_mode_of_new(folder in)
{
    (void)in;
    return NO_MODE;
}

static int move(folder in, const char *from, const char *to, DWORD flags)
{
    wchar_t old[WIDE_ROOM], new[WIDE_ROOM];
    return path_in(in, from, old) && path_in(in, to, new) ? outcome(MoveFileExW(old, new, flags)) : errno;
}

int st_name_rename(folder in, const char *from, const char *to)
{
    return move(in, from, to, MOVEFILE_REPLACE_EXISTING);
}

int st_name_rename_new(folder in, const char *from, const char *to)
{
    return move(in, from, to, 0);
}

int st_name_link_too(folder in, const char *name, const char *other)
{
    wchar_t old[WIDE_ROOM], new[WIDE_ROOM];
    return path_in(in, name, old) && path_in(in, other, new) ? outcome(CreateHardLinkW(new, old, NULL)) : errno;
}

int st_name_remove(folder in, const char *name)
{
    wchar_t room[WIDE_ROOM];
    return path_in(in, name, room) ? outcome(DeleteFileW(room)) : errno;
}

int st_name_make_folder(folder in, const char *name)
{
    wchar_t room[WIDE_ROOM];
    return path_in(in, name, room) ? outcome(CreateDirectoryW(room, NULL)) : errno;
}

int st_name_remove_folder(folder in, const char *name)
{
    wchar_t room[WIDE_ROOM];
    return path_in(in, name, room) ? outcome(RemoveDirectoryW(room)) : errno;
}

struct listing {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool first;
    char name[MAX_PATH * 4];
};

listing *st_listing_open(const char *path)
{
    wchar_t room[WIDE_ROOM];
    listing *l = calloc(1, sizeof *l);
    if (l && wide(path, room)) {
        size_t length = wcslen(room);
        wcscpy(room + length, room[length - 1] == '\\' ? L"*" : L"\\*");
        l->search = FindFirstFileW(room, &l->found);
        l->first = true;
        if (l->search != INVALID_HANDLE_VALUE)
            return l;
        errno = errno_of(GetLastError());
    }
    free(l);
    return NULL;
}

const char *st_listing_next(listing *l)
{
    if (!l->first && !FindNextFileW(l->search, &l->found))
        return NULL;
    l->first = false;
    if (!WideCharToMultiByte(CP_UTF8, 0, l->found.cFileName, -1, l->name, sizeof l->name, NULL, NULL))
        *l->name = 0;
    return l->name;
}

void st_listing_close(listing *l)
{
    FindClose(l->search);
    free(l);
}

/* ---- Who we are ---- */

uint64_t st_this_user(void)
{
    return 0;
}

uint32_t st_this_host(void)
{
    wchar_t name[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD length = MAX_COMPUTERNAME_LENGTH + 1;
    uint32_t hash = 2166136261u;
    if (GetComputerNameW(name, &length))
        for (DWORD i = 0; i < length; i++)
            hash = (hash ^ name[i]) * 16777619u;
    return hash;
}

long st_this_process(void)
{
    return (long)GetCurrentProcessId();
}

bool st_process_is_gone(long process)
{
    HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process);
    if (!handle)
        return GetLastError() == ERROR_INVALID_PARAMETER;
    bool gone = WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
    CloseHandle(handle);
    return gone;
}

unsigned long long st_process_start(long process)
{
    FILETIME created = {0, 0}, others[3];
    HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
    if (handle) {
        (void)GetProcessTimes(handle, &created, &others[0], &others[1], &others[2]);
        CloseHandle(handle);
    }
    return (unsigned long long)created.dwHighDateTime << 32 | created.dwLowDateTime;
}

void st_error_name(int error, char *text, size_t size)
{
    snprintf(text, size, "%s", strerror(error));
}

#endif
