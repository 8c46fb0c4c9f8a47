#ifdef _WIN32

#include "terminal.h"

#include <windows.h>

static DWORD input_before, output_before;
static bool begun;

bool st_terminal_size(terminal_size *size)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
        return false;
    *size = (terminal_size){.columns = (unsigned)(info.srWindow.Right - info.srWindow.Left + 1),
                            .rows = (unsigned)(info.srWindow.Bottom - info.srWindow.Top + 1)};
    return true;
}

bool st_terminal_begin(void)
{
    HANDLE in = GetStdHandle(STD_INPUT_HANDLE), out = GetStdHandle(STD_OUTPUT_HANDLE);
    if (!GetConsoleMode(in, &input_before) || !GetConsoleMode(out, &output_before))
        return false;
    DWORD raw = (input_before & ~(DWORD)(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT)) | ENABLE_VIRTUAL_TERMINAL_INPUT;
    begun = SetConsoleMode(in, raw) && SetConsoleMode(out, output_before | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    return begun;
}

void st_terminal_end(void)
{
    if (!begun)
        return;
    SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), input_before);
    SetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), output_before);
    begun = false;
}

size_t st_terminal_read(char *bytes, size_t size, int milliseconds)
{
    HANDLE in = GetStdHandle(STD_INPUT_HANDLE);
    DWORD got = 0;
    if (WaitForSingleObject(in, (DWORD)milliseconds) != WAIT_OBJECT_0)
        return 0;
    return ReadFile(in, bytes, (DWORD)size, &got, NULL) ? got : 0;
}

#endif
