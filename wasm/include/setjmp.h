/* wasi-libc has no setjmp: clang makes one of exceptions, and ../setjmp.c the rest. */
#ifndef SETJMP_H
#define SETJMP_H

typedef struct {
    unsigned long id;
} jmp_buf[1];

int setjmp(jmp_buf env) __attribute__((returns_twice));
void longjmp(jmp_buf env, int value) __attribute__((noreturn));

#endif
