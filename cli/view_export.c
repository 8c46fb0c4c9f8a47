/* One page that shows models, and needs nothing else: the built-in one with their bytes in it. */
#include <stdlib.h>
#include <string.h>

#include "system/process.h"
#include "view.h"

void put_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < size ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++)
            fputc(k <= size - i ? digits[bits >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* As a block that no browser takes for a script. */
static bool put_block(FILE *out, const char *id, const void *bytes, size_t size)
{
    size_t packed_size = 0;
    unsigned char *small = bytes ? pack(bytes, size, &packed_size) : NULL;
    if (small) {
        fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
        put_base64(out, small, packed_size);
        fputs("</script>\n", out);
    }
    free(small);
    return small;
}

static bool put_file(const settings *s, FILE *out, const shown_file *file, size_t number)
{
    char id[32];
    size_t size = 0;
    char *bytes = bytes_of_shown(s, file, &size);
    snprintf(id, sizeof id, "model-%zu", number);
    bool put = put_block(out, id, bytes, size);
    if (!put)
        view_ends(s, file->path, STELE_IO, "it cannot be read, or is too large for a page");
    free(bytes);
    return put;
}

/* Names may have what would end the element: < is written as JSON can write it. */
static void put_name(FILE *out, const char *name)
{
    memory_stream text;
    if (!st_memory_open(&text))
        return;
    json j = {.out = text.file};
    json_string(&j, NULL, name);
    bool whole = st_memory_close(&text);
    for (size_t i = 0; whole && i < text.size; i++)
        fputs(text.data[i] == '<' ? "\\u003c" : (char[]){text.data[i], 0}, out);
    free(text.data);
}

static bool put_models(const settings *s, FILE *out, const shown_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (!put_file(s, out, &files->items[i], i))
            return false;
    if (!files->count)
        return true;
    fputs("<script type=\"text/plain\" id=\"models\">[", out);
    for (size_t i = 0; i < files->count; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        put_name(out, files->items[i].name);
        fprintf(out, ",\"id\":\"model-%zu\"}", i);
    }
    fputs("]</script>\n", out);
    return true;
}

static int write_page(const settings *s, const char *page, size_t size)
{
    stele_save_options options = {.overwrite = s->force, .sync = s->sync};
    char message[512];
    if (strcmp(s->output, "-") == 0)
        return write_stdout(page, size) ? view_ends(s, NULL, STELE_OK, NULL) : EXIT_IO; /* main says why */
    if (!saving_begins())
        return EXIT_IO;
    stele_status status = stele_bytes_save(page, size, s->output, &options, message, sizeof message);
    saving_ends();
    return view_ends(s, NULL, status, status == STELE_OK ? NULL : message);
}

int export_page(const settings *s, const shown_files *files)
{
    static const char script[] = "<script type=\"module\">";
    const char *page = page_itself().data, *at = strstr(page, script); /* a NUL follows it */
    memory_stream whole;
    if (!at || !st_memory_open(&whole))
        return view_ends(s, NULL, STELE_NO_MEMORY, "there is not enough memory for the page");
    fwrite(page, 1, (size_t)(at - page), whole.file);
    bool made = put_block(whole.file, "wasm", page_wasm().data, page_wasm().size) && put_models(s, whole.file, files);
    fwrite(at, 1, page_itself().size - (size_t)(at - page), whole.file);
    made = st_memory_close(&whole) && made;
    int code = made ? write_page(s, whole.data, whole.size) : EXIT_IO;
    free(whole.data);
    return code;
}
