/* Everything that can be done with an opened file, as a list: for tests that ask whether anything goes wrong, whatever it is.
 */
#ifndef TEST_USES_H
#define TEST_USES_H

#include "support.h"

size_t use_count(void);
const char *use_name(size_t use);
stele_status use_file(stele_file *file, size_t use);

#endif
