#include "json.h"

enum { WHOLE_ARRAY = 16 };

bool shown_whole(const stele_field *f)
{
    return f->column_count == 1 && f->columns[0].components == 1 && f->rows <= WHOLE_ARRAY;
}

void field_type(const stele_field *f, char text[64])
{
    if (f->array && f->column_count == 1 && f->columns[0].components > 1)
        snprintf(text, 64, "%sx%u[%llu]", stele_type_name(f->type), f->columns[0].components, (unsigned long long)f->rows);
    else if (f->array)
        snprintf(text, 64, "%s[%llu]", f->column_count == 1 ? stele_type_name(f->type) : "row", (unsigned long long)f->rows);
    else if (f->type == STELE_CHAR || (f->type == STELE_BYTES && *f->path))
        snprintf(text, 64, "%s[%llu]", stele_type_name(f->type), (unsigned long long)f->size);
    else if (f->type == STELE_BYTES)
        snprintf(text, 64, "gap");
    else
        snprintf(text, 64, "%s", stele_type_name(f->type));
}

element element_at(const stele_field *f, uint64_t at)
{
    uint64_t stride = f->size / f->rows, left = (at - f->offset) % stride;
    element e = {.offset = at, .row = (at - f->offset) / stride};
    while (left >= (uint64_t)stele_type_size(f->columns[e.column].type) * f->columns[e.column].components) {
        left -= (uint64_t)stele_type_size(f->columns[e.column].type) * f->columns[e.column].components;
        e.column++;
    }
    uint32_t size = stele_type_size(f->columns[e.column].type);
    e.component = (uint32_t)(left / size);
    e.offset -= left % size;
    return e;
}

void element_path(const stele_field *f, const element *o, char path[512])
{
    const stele_column *c = &f->columns[o->column];
    int used = snprintf(path, 512, "%s[%llu]%s%s", f->path, (unsigned long long)o->row, *c->name ? "." : "", c->name);
    if (c->components > 1)
        snprintf(path + used, 512 - (size_t)used, "[%u]", o->component);
}

bool shows_column(const field_view *v, size_t column)
{
    return !v->columns || (column < 64 && v->columns >> column & 1);
}

uint64_t end_of_rows(const field_view *v, const stele_field *f)
{
    return v->last_row < f->rows ? v->last_row + 1 : f->rows;
}

static size_t first_component(const stele_field *f, size_t column)
{
    size_t first = 0;
    for (size_t i = 0; i < column; i++)
        first += f->columns[i].components;
    return first;
}

void find_ranges(const stele_field *f, field_ranges *r)
{
    r->known = first_component(f, f->column_count) <= MOST_COMPONENTS;
    if (r->known)
        stele_field_ranges(f, r->min, r->max);
}

bool range_of(const stele_field *f, const field_ranges *r, size_t column, uint32_t component, double *min, double *max)
{
    if (!r->known)
        return stele_field_range(f, column, component, min, max);
    size_t i = first_component(f, column) + component;
    *min = r->min[i];
    *max = r->max[i];
    return *min <= *max;
}

static void json_elements(json *j, const stele_field *f, uint64_t row, size_t column)
{
    for (uint32_t i = 0; i < f->columns[column].components; i++)
        json_number(j, NULL, stele_field_element(f, row, column, i), f->columns[column].type == STELE_F32);
}

static void json_side(json *j, const stele_field *f, size_t column, const char *key, const field_ranges *r, bool greatest)
{
    double min, max;
    json_open(j, key, '[');
    for (uint32_t i = 0; i < f->columns[column].components; i++) {
        if (range_of(f, r, column, i, &min, &max))
            json_number(j, NULL, greatest ? max : min, f->columns[column].type == STELE_F32);
        else
            json_null(j, NULL);
    }
    json_close(j, ']');
}

static void json_rows(json *j, const stele_field *f, size_t column, const field_view *v)
{
    json_open(j, "rows", '[');
    for (uint64_t i = v->first_row; i < end_of_rows(v, f); i++)
        json_elements(j, f, i, column);
    json_close(j, ']');
}

static void json_column(json *j, const stele_field *f, size_t column, const field_ranges *r, const field_view *v)
{
    uint64_t shown = f->rows < FIRST_VALUES ? f->rows : FIRST_VALUES;
    json_open(j, NULL, '{');
    if (*f->columns[column].name)
        json_string(j, "name", f->columns[column].name);
    json_string(j, "type", stele_type_name(f->columns[column].type));
    json_uint(j, "components", f->columns[column].components);
    json_open(j, "first", '[');
    for (uint64_t i = 0; i < shown; i++)
        json_elements(j, f, i, column);
    json_close(j, ']');
    json_side(j, f, column, "min", r, false);
    json_side(j, f, column, "max", r, true);
    if (v->rows)
        json_rows(j, f, column, v);
    json_close(j, '}');
}

static void json_array(json *j, const stele_field *f, const field_view *v)
{
    field_ranges ranges;
    if (shown_whole(f)) {
        json_open(j, "value", '[');
        for (uint64_t i = 0; i < f->rows; i++)
            json_elements(j, f, i, 0);
        json_close(j, ']');
        return;
    }
    json_open(j, "value", '{');
    json_uint(j, "count", f->rows);
    json_uint(j, "stride", f->rows ? f->size / f->rows : 0);
    json_open(j, "columns", '[');
    find_ranges(f, &ranges);
    for (size_t i = 0; i < f->column_count; i++)
        if (shows_column(v, i))
            json_column(j, f, i, &ranges, v);
    json_close(j, ']');
    json_close(j, '}');
}

static void json_value(json *j, const stele_field *f, const field_view *v)
{
    if (f->array)
        json_array(j, f, v);
    else if (f->type == STELE_CHAR)
        json_text(j, "value", (const char *)f->data, (size_t)f->size);
    else if (f->type == STELE_BYTES)
        json_null(j, "value");
    else if (f->column_count)
        json_number(j, "value", stele_field_element(f, 0, 0, 0), f->type == STELE_F32);
    else
        json_uint(j, "value", f->number);
}

static void json_owner(json *j, const stele_field *f, uint64_t at)
{
    char path[512];
    element o = element_at(f, at);
    stele_type type = f->columns[o.column].type;
    element_path(f, &o, path);
    json_open(j, "element", '{');
    json_uint(j, "offset", o.offset);
    json_uint(j, "size", stele_type_size(type));
    json_string(j, "path", path);
    json_string(j, "type", stele_type_name(type));
    json_number(j, "value", stele_field_element(f, o.row, o.column, o.component), type == STELE_F32);
    json_close(j, '}');
}

static void json_bytes(json *j, const stele_field *f)
{
    char hex[2 * HEX_BYTES + 1] = "";
    for (uint64_t i = 0; i < f->size && i < HEX_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", f->data[i]);
    json_string(j, "bytes", hex);
}

void json_field(json *j, const stele_field *f, const field_view *v)
{
    char type[64];
    field_type(f, type);
    json_open(j, NULL, '{');
    json_uint(j, "offset", f->offset);
    json_uint(j, "size", f->size);
    json_string(j, "path", f->path);
    json_string(j, "type", type);
    if (v->hex)
        json_bytes(j, f);
    json_value(j, f, v);
    if (f->meaning)
        json_string(j, "meaning", f->meaning);
    if (v->at && f->array)
        json_owner(j, f, *v->at);
    json_close(j, '}');
}
