#include "support.h"

#include <dirent.h>
#include <sys/stat.h>

bytes copy_bytes(const void *data, size_t size)
{
    bytes copy = {malloc(size ? size : 1), size};
    assert_non_null(copy.data);
    if (size)
        memcpy(copy.data, data, size);
    return copy;
}

bytes read_bytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || stat(path, &status) != 0)
        fail_msg("cannot read %s", path);
    bytes content = {malloc((size_t)status.st_size + 1), (size_t)status.st_size};
    assert_int_equal(fread(content.data, 1, content.size, file), content.size);
    fclose(file);
    return content;
}

const char *project_folder(void)
{
    return PROJECT_FOLDER;
}

const char *corpus_folder(void)
{
    static char folder[1024];
    struct stat status;
    const char *given = getenv("STELE_CORPUS");
    snprintf(folder, sizeof folder, "%s", given ? given : PROJECT_FOLDER "/../shared/corpus");
    if (stat(folder, &status) == 0)
        return folder;
    printf("# no corpus of real files in %s: tested with the samples only\n", folder);
    return NULL;
}

size_t for_each_file(const char *folder, each_file each)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    struct dirent *entry;
    struct stat status;
    if (!directory)
        fail_msg("cannot open %s", folder);
    while ((entry = readdir(directory))) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode)) {
            count += for_each_file(path, each);
        } else if (stele_format_of_name(path)) {
            bytes content = read_bytes(path);
            each(path, &content);
            free(content.data);
            count++;
        }
    }
    closedir(directory);
    return count;
}

static bool append(void *user, const void *data, size_t size)
{
    bytes *out = user;
    out->data = realloc(out->data, out->size + size);
    assert_non_null(out->data);
    memcpy(out->data + out->size, data, size);
    out->size += size;
    return true;
}

bytes rewritten(stele_file *file, const stele_save_options *options)
{
    bytes out = {malloc(1), 0};
    if (stele_file_write(file, append, &out, options) == STELE_OK)
        return out;
    free(out.data);
    return (bytes){NULL, 0};
}

const stele_diagnostic *find_diagnostic(const stele_file *file, const char *id)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(d[i].id, id) == 0)
            return &d[i];
    return NULL;
}

typedef struct coverage {
    const stele_file *file;
    uint64_t at, gaps;
    bool unpacked;
} coverage;

static bool follow(void *user, const stele_field *field)
{
    coverage *c = user;
    if (field->unpacked && !c->unpacked) {
        uint64_t size;
        stele_file_bytes(c->file, &size);
        assert_int_equal(c->at, size);
        c->at = 0;
        c->unpacked = true;
    }
    assert_int_equal(field->offset, c->at);
    assert_true(field->size > 0);
    c->at += field->size;
    if (!*field->path) {
        assert_int_equal(field->type, STELE_BYTES);
        c->gaps += field->size;
    }
    return true;
}

uint64_t assert_explained(stele_file *file)
{
    coverage c = {.file = file};
    uint64_t size;
    stele_file_bytes(file, &size);
    stele_file_explain(file, follow, &c);
    if (!c.unpacked)
        assert_int_equal(c.at, size);
    return c.gaps;
}

#include "literal.h"

static bytes splice_once(bytes from, const splice *s)
{
    if (!s->bytes)
        return from;
    bytes to = {malloc(from.size - s->removed + s->count + 1), from.size - s->removed + s->count};
    memcpy(to.data, from.data, s->at);
    memcpy(to.data + s->at, s->bytes, s->count);
    memcpy(to.data + s->at + s->count, from.data + s->at + s->removed, from.size - s->at - s->removed);
    free(from.data);
    return to;
}

bytes spliced(const uint8_t *data, size_t size, const splice *a, const splice *b)
{
    return splice_once(splice_once(copy_bytes(data, size), a), b);
}

/* What would make the data unsafe to use is found at the usual level too, by shorter ways: all errors but these. */
static bool is_safe(const finding *f)
{
    return strcmp(f->id, "track-empty") == 0 || strcmp(f->id, "target-limit") == 0;
}

static void expect_always_found(const bytes *changed, const finding *f, const stele_options *options)
{
    stele_options usual = *options;
    usual.check = STELE_CHECK_SAFE;
    stele_file *file = stele_open_memory(changed->data, changed->size, &usual);
    const stele_diagnostic *d = find_diagnostic(file, f->id);
    if (!d || strcmp(d->path, f->path) != 0 || d->offset != f->offset)
        fail_msg("%s at %s is not found by the usual check", f->id, f->path);
    stele_close(file);
}

void expect_finding(const uint8_t *data, size_t size, const finding *f, const stele_options *options)
{
    bytes changed = spliced(data, size, &f->first, &f->second);
    stele_file *clean = stele_open_memory(data, size, options), *file = stele_open_memory(changed.data, changed.size, options);
    const stele_diagnostic *d = find_diagnostic(file, f->id);
    if (find_diagnostic(clean, f->id))
        fail_msg("%s is found in the file without it too", f->id);
    if (!d)
        fail_msg("%s is not found; status %d, %s", f->id, stele_file_status(file), stele_file_message(file));
    if (strcmp(d->path, f->path) != 0 || d->offset != f->offset || d->severity != f->severity)
        fail_msg("%s: at %s, 0x%llx, severity %d", f->id, d->path, (unsigned long long)d->offset, d->severity);
    assert_true(d->count >= 1);
    stele_close(clean);
    stele_close(file);
    if (f->severity == STELE_ERROR && !is_safe(f))
        expect_always_found(&changed, f, options);
    free(changed.data);
}

/* ---- Pens ---- */

void pen_bytes(pen *p, const void *data, size_t size)
{
    assert_true(p->size + size <= sizeof p->data);
    memcpy(p->data + p->size, data, size);
    p->size += size;
}

static void pen_number(pen *p, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        pen_bytes(p, &byte, 1);
    }
}

void pen_u8(pen *p, unsigned value)
{
    pen_number(p, value, 1);
}

void pen_u32(pen *p, uint32_t value)
{
    pen_number(p, value, 4);
}

void pen_u64(pen *p, uint64_t value)
{
    pen_number(p, value, 8);
}

void pen_f64(pen *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pen_number(p, bits, 8);
}

void pen_floats(pen *p, size_t count, const float *floats)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        pen_number(p, bits, 4);
    }
}

void assert_written(const bytes *out, const pen *expected)
{
    assert_non_null(out->data);
    for (size_t i = 0; i < out->size && i < expected->size; i++)
        if (out->data[i] != expected->data[i])
            fail_msg("byte %zu is %02x, not %02x", i, out->data[i], expected->data[i]);
    assert_int_equal(out->size, expected->size);
}

void assert_row(const stele_view *view, uint64_t row, size_t count, const float *expected)
{
    assert_non_null(view);
    assert_true(row < view->count);
    assert_int_equal(view->components, count);
    for (uint32_t i = 0; i < count; i++) {
        double error = stele_view_number(view, row, i) - (double)expected[i];
        if (!(error < 1e-6 && error > -1e-6))
            fail_msg("row %llu, component %u: is %g, not %g", (unsigned long long)row, i, stele_view_number(view, row, i),
                     (double)expected[i]);
    }
}
