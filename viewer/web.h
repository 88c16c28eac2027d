#ifndef GT_VIEWER_WEB_H
#define GT_VIEWER_WEB_H
/* Output of cmake/embed.cmake from viewer/web/: the script and the style of the page, each with its SHA-256 as 64
 * hexadecimal digits. */
#include <stddef.h>

extern const unsigned char gt_page_script[], gt_page_style[];
extern const size_t gt_page_script_size, gt_page_style_size;
extern const char gt_page_script_hash[], gt_page_style_hash[];
#endif
