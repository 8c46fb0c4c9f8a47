/* The page and its WebAssembly, as they are built into the command. The assembler does that: no compiler likes an array of a
 * million numbers. */
#include "view.h"

#define ENCLOSE(name, path)                                                                                                    \
    __asm__(".section .rodata\n.balign 16\n" #name ":\n.incbin \"" path "\"\n" #name "_end:\n.byte 0\n.previous\n");           \
    extern const unsigned char name[], name##_end[]

#if defined(STELE_PAGE) && defined(STELE_WASM)
ENCLOSE(stele_page, STELE_PAGE);
ENCLOSE(stele_wasm, STELE_WASM);

enclosed page_itself(void)
{
    return (enclosed){stele_page, (size_t)(stele_page_end - stele_page)};
}

enclosed page_wasm(void)
{
    return (enclosed){stele_wasm, (size_t)(stele_wasm_end - stele_wasm)};
}
#else
enclosed page_itself(void)
{
    return (enclosed){NULL, 0};
}

enclosed page_wasm(void)
{
    return (enclosed){NULL, 0};
}
#endif
