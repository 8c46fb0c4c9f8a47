/* In the place of import.c where stele-import cannot be run. */
#include "cli.h"

bool is_to_be_imported(const job *j, const stele_options *options, const stele_file *file)
{
    (void)options;
    return stele_file_status(file) == STELE_UNSUPPORTED && !stele_file_format(file) && j->settings->import;
}

stele_file *import_file(job *j, const stele_options *options, stele_file *unknown)
{
    (void)j;
    (void)options;
    stele_file_report(unknown, STELE_UNSUPPORTED, "import-missing", 1,
                      "stele-import, which reads other formats, is not for this system");
    return unknown;
}

const char *imported_from(const job *j)
{
    (void)j;
    return NULL;
}

void end_importer(job *j)
{
    (void)j;
}

void free_imported(job *j)
{
    (void)j;
}

const char *imported_formats(void)
{
    return "";
}

bool is_imported(const char *path)
{
    (void)path;
    return false;
}
