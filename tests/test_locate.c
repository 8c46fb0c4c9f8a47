/* Places: what a finding names by its address is found by one walk. The file here is of a format of its own, written byte by
 * byte, so that offsets and paths are known without any walk. */
#include "support.h"

#include "file/locate.h"

typedef struct toy_part {
    uint8_t id; /* its first member: it has the address of the part itself */
    uint16_t size;
    span data; /* after all parts, as headers and data are in some formats */
} toy_part;

typedef struct toy_file {
    uint32_t version;
    text name;
    uint8_t part_count;
    toy_part *part;
    span nothing;
    span row;
    span word;
    items cluster;
    span end;
} toy_file;

static const stele_column row_columns[] = {{"place", STELE_U16, 2}, {"tone", STELE_U8, 1}};

/* Each item says its size first. */
static uint64_t cluster_size(const uint8_t *data, uint64_t left)
{
    return left && data[0] <= left ? data[0] : UINT64_MAX;
}

static void walk_part(walk *w, toy_part *p)
{
    W_U8(w, p, id);
    W_U16(w, p, size);
}

static void walk_toy(walk *w, toy_file *f)
{
    W_U32(w, f, version);
    W_STRING(w, f, name);
    W_U8(w, f, part_count);
    W_LIST(w, f, part, f->part_count, 3) walk_part(w, &f->part[i]);
    for (uint64_t i = 0; st_walk_item(w, "part", f->part, sizeof *f->part, i, f->part_count); i++)
        W_ARRAY(w, &f->part[i], data, STELE_U8, f->part[i].size);
    W_ARRAY(w, f, nothing, STELE_U32, 0);
    W_ROWS(w, f, row, row_columns, 2, 3);
    W_ARRAY(w, f, word, STELE_U16, 2);
    st_walk_items(w, "cluster", &f->cluster, 3, cluster_size);
    W_CHARS(w, f, end, 4);
}

static const uint8_t toy[] = {
    7,   0,   0,   0,       /*  0 version */
    3,   0,   'a', 'b', 0,  /*  4 name_length, 6 name */
    2,                      /*  9 part_count */
    5,   2,   0,            /* 10 part[0] */
    6,   0,   0,            /* 13 part[1] */
    20,  21,                /* 16 part[0].data; that of part[1] is empty */
    1,   0,   2,   0,   30, /* 18 row[0] */
    3,   0,   4,   0,   31, /* 23 row[1] */
    5,   0,   6,   0,   32, /* 28 row[2] */
    40,  0,   41,  0,       /* 33 word */
    2,   9,                 /* 37 cluster[0] */
    1,                      /* 39 cluster[1] */
    3,   8,   8,            /* 40 cluster[2] */
    'e', 'n', 'd', 0,       /* 43 end */
};

typedef struct bench {
    arena memory;
    diags found;
    walk *w;
    toy_file file;
} bench;

static void open_toy(bench *b)
{
    const char *unknown;
    memset(b, 0, sizeof *b);
    st_arena_init(&b->memory, &(stele_options){0});
    assert_true(st_diags_init(&b->found, &b->memory, NULL, 0, &unknown));
    b->w = malloc(sizeof *b->w);
    st_walk_read(b->w, &b->memory, toy, sizeof toy);
    walk_toy(b->w, &b->file);
    assert_true(walk_ok(b->w));
    assert_int_equal(b->w->at, sizeof toy);
}

static void close_toy(bench *b)
{
    free(b->w);
    st_arena_free(&b->memory);
}

static void locate(bench *b, const uint8_t *data, uint64_t size)
{
    locator l;
    assert_true(st_locate_begin(&l, &b->found.open, data, size, st_diag_found, &b->found));
    st_walk_locate(b->w, &b->memory, &l);
    walk_toy(b->w, &b->file);
    st_locate_end(&l);
}

static void assert_place(const bench *b, size_t entry, const char *path, uint64_t offset)
{
    assert_true(entry < b->found.count);
    assert_string_equal(b->found.items[entry].path, path);
    assert_int_equal(b->found.items[entry].offset, offset);
}

static void every_kind_of_place_is_found(void **state)
{
    bench b;
    (void)state;
    open_toy(&b);
    const toy_file *f = &b.file;
    const struct {
        diag_place place;
        const char *path;
        uint64_t offset;
    } expected[] = {
        {at_member(&f->version), "version", 0},
        {at_member(&f->name), "name", 6},
        {at_byte(toy + 7), "name", 7},
        {at_member(&f->part_count), "part_count", 9},
        {at_member(&f->part), "part", 10},
        {at_item(&f->part[0]), "part[0]", 10},
        {at_member(&f->part[0].id), "part[0].id", 10},
        {at_item(&f->part[1]), "part[1]", 13},
        {at_member(&f->part[1].id), "part[1].id", 13},
        {at_member(&f->part[1].size), "part[1].size", 14},
        {at_member(&f->part[0].data), "part[0].data", 16},
        {at_row(toy + 17, 1), "part[0].data[1]", 17},
        {at_member(&f->part[1].data), "part[1].data", 18},
        {at_member(&f->nothing), "nothing", 18},
        {at_byte(f->nothing.data), "row", 18}, /* an empty field has no byte: this one is of the next */
        {at_row(toy + 23, 1), "row[1]", 23},
        {at_column(toy + 23, 1), "row[1].place", 23},
        {at_column(toy + 26, 1), "row[1].place", 26},
        {at_column(toy + 27, 1), "row[1].tone", 27},
        {at_columns(toy + 22, 1), "row.tone", 22},
        {at_column(toy + 32, 1), "row[2].tone", 32},
        {at_byte(toy + 32), "row", 32},
        {at_column(toy + 35, 1), "word[1]", 35}, /* a column without a name */
        {at_member(&f->cluster), "cluster", 37},
        {at_row(toy + 38, 1), "cluster[0]", 38},
        {at_row(toy + 39, 1), "cluster[1]", 39},
        {at_row(toy + 42, 1), "cluster[2]", 42},
        {at_row(toy + 46, 1), "end", 46}, /* text has no rows */
        {at_offset(3, 1, "given"), "given", 3},
    };
    size_t count = sizeof expected / sizeof *expected;
    for (size_t i = count; i-- > 0;) /* in no order of any use */
        st_diag(&b.found, (diag_code)(i % DIAG_COUNT), expected[i].place, "%zu", i);
    locate(&b, toy, sizeof toy);
    assert_int_equal(b.found.open.count, 0);
    for (size_t i = 0; i < count; i++)
        assert_place(&b, count - 1 - i, expected[i].path, expected[i].offset);
    close_toy(&b);
}

static void without_findings_there_is_nothing_to_walk(void **state)
{
    bench b;
    locator l;
    (void)state;
    open_toy(&b);
    assert_false(st_locate_begin(&l, &b.found.open, toy, sizeof toy, st_diag_found, &b.found));
    st_diag(&b.found, DIAG_BAD_FIELD, at_offset(1, 1, "given"), "is known already");
    assert_false(st_locate_begin(&l, &b.found.open, toy, sizeof toy, st_diag_found, &b.found));
    close_toy(&b);
}

/* What is not of the file is not found, and does not keep others from it; another walk may find it. */
static void bytes_of_other_files_do_no_harm(void **state)
{
    static const uint8_t before[64], after[64];
    toy_file stranger = {0};
    bench b;
    (void)state;
    open_toy(&b);
    st_diag(&b.found, DIAG_BAD_FIELD, at_row(before + 3, 1), "elsewhere");
    st_diag(&b.found, DIAG_BAD_FIELD, at_row(after + 3, 1), "elsewhere");
    st_diag(&b.found, DIAG_BAD_FIELD, at_member(&stranger.version), "elsewhere");
    st_diag(&b.found, DIAG_BAD_FIELD, at_row(toy, 1), "a number has no span to be found by");
    st_diag(&b.found, DIAG_BAD_FIELD, at_row(toy + 28, 1), "here");
    st_diag(&b.found, DIAG_BAD_FIELD, at_member(&b.file.end), "here");
    locate(&b, toy, sizeof toy);
    assert_int_equal(b.found.open.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_place(&b, i, "", STELE_NOWHERE);
    assert_place(&b, 4, "row[2]", 28);
    assert_place(&b, 5, "end", 43);
    close_toy(&b);
}

/* Of a companion, or of what saving has made, only the path means something. */
static void another_file_has_paths_only(void **state)
{
    bench b;
    (void)state;
    open_toy(&b);
    b.found.unpacked = true;
    st_diag(&b.found, DIAG_BAD_FIELD, at_item(&b.file.part[1]), "there");
    locate(&b, NULL, 0);
    assert_place(&b, 0, "part[1]", STELE_NOWHERE);
    assert_false(b.found.items[0].unpacked);
    st_diag(&b.found, DIAG_BAD_FIELD, at_item(&b.file.part[1]), "here");
    locate(&b, toy, sizeof toy);
    assert_place(&b, 1, "part[1]", 13);
    assert_true(b.found.items[1].unpacked);
    close_toy(&b);
}

/* A million findings of a kind are as many as are listed; counts are those of all. */
static void many_findings_are_few_places(void **state)
{
    enum { MANY = 1000000, LISTED = 50 };
    bench b;
    (void)state;
    open_toy(&b);
    for (uint32_t i = 0; i < MANY; i++) {
        st_diag(&b.found, DIAG_BAD_FIELD, at_column(toy + 18 + 5 * (i % 3), 1), "again");
        st_diag(&b.found, DIAG_BAD_VERSION, counted(2, at_member(&b.file.version)), "again");
    }
    assert_int_equal(b.found.open.count, 2 * LISTED);
    locate(&b, toy, sizeof toy);
    assert_int_equal(b.found.open.count, 0);
    for (size_t i = 0; i < LISTED; i++) {
        static const char *const paths[] = {"row[0].place", "row[1].place", "row[2].place"};
        assert_place(&b, 2 * i, paths[i % 3], 18 + 5 * (i % 3));
        assert_place(&b, 2 * i + 1, "version", 0);
    }
    assert_int_equal(b.found.items[2 * LISTED - 2].count, MANY - LISTED + 1);
    assert_int_equal(b.found.items[2 * LISTED - 1].count, 2 * (MANY - LISTED + 1));
    close_toy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_place_is_found),    cmocka_unit_test(without_findings_there_is_nothing_to_walk),
        cmocka_unit_test(bytes_of_other_files_do_no_harm), cmocka_unit_test(another_file_has_paths_only),
        cmocka_unit_test(many_findings_are_few_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
