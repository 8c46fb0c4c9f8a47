/* What clang calls where it makes setjmp of exceptions. Each function that calls setjmp has a table of its own, from malloc:
 * which jmp_buf stands for which place in it. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct place {
    uintptr_t id; /* 0: the end */
    uint32_t label;
} place;

static uintptr_t last_id;
static uint32_t table_size; /* a second result of saveSetjmp */
static struct {
    void *env;
    int value;
} jump;

uint32_t getTempRet0(void)
{
    return table_size;
}

void setTempRet0(uint32_t value)
{
    table_size = value;
}

place *saveSetjmp(jmp_buf env, uint32_t label, place *table, uint32_t size)
{
    uint32_t used = 0;
    while (used < size && table[used].id)
        used++;
    if (used + 1 >= size) {
        size *= 2;
        table = realloc(table, (size + 1) * sizeof *table);
        if (!table)
            __builtin_trap();
    }
    env->id = ++last_id;
    table[used] = (place){last_id, label};
    table[used + 1].id = 0;
    table_size = size;
    return table;
}

uint32_t testSetjmp(uintptr_t id, const place *table, uint32_t size)
{
    for (uint32_t i = 0; i < size && table[i].id; i++)
        if (table[i].id == id)
            return table[i].label;
    return 0;
}

void __wasm_longjmp(void *env, int value)
{
    jump.env = env;
    jump.value = value ? value : 1;
    __builtin_wasm_throw(1, &jump);
}
