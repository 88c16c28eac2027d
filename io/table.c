/* Table of all file formats; table.h has one line for each. */
#include "core/module.h"
#include "io/table.h"

#define ENTRY(name) &gt_format_##name,
const gt_format *const gt_formats[] = { GT_FORMAT_LIST(ENTRY) NULL };

static const gt_module *nth(size_t i) { return (const gt_module *)gt_formats[i]; }
const gt_module_kind gt_format_kind = { "format", "format", nth };
