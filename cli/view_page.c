/* The page and its WebAssembly, as they are built into the command. The assembler does that: no compiler likes an array of a
 * million numbers. */
#include "view.h"

#define ENCLOSE(name, path)                                                                                                    \
    __asm__(".section .rodata\n.balign 16\n" #name ":\n.incbin \"" path "\"\n" #name "_end:\n.byte 0\n.text\n");               \
    extern const unsigned char name[], name##_end[]

#if defined(STELE_PAGE) && defined(STELE_WASM)
#include <stdlib.h>
#include <zlib.h>

ENCLOSE(stele_page, STELE_PAGE);
ENCLOSE(stele_wasm, STELE_WASM);

/* As gzip has it, which browsers unpack; without a time, so that the same files give the same page. */
unsigned char *pack(const char *bytes, size_t size, size_t *packed_size)
{
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    z_stream z = {.next_in = (unsigned char *)bytes, .avail_in = (unsigned)size};
    if (size > UINT32_MAX / 2 || deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t room = deflateBound(&z, (unsigned)size);
    unsigned char *out = malloc(room);
    z.next_out = out;
    z.avail_out = (unsigned)room;
    bool whole = out && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *packed_size = z.total_out;
    deflateEnd(&z);
    if (!whole)
        free(out);
    return whole ? out : NULL;
}

enclosed page_itself(void)
{
    return (enclosed){stele_page, (size_t)(stele_page_end - stele_page)};
}

enclosed page_wasm(void)
{
    return (enclosed){stele_wasm, (size_t)(stele_wasm_end - stele_wasm)};
}
#else
unsigned char *pack(const char *bytes, size_t size, size_t *packed_size)
{
    (void)bytes;
    (void)size;
    *packed_size = 0;
    return NULL;
}

enclosed page_itself(void)
{
    return (enclosed){NULL, 0};
}

enclosed page_wasm(void)
{
    return (enclosed){NULL, 0};
}
#endif
