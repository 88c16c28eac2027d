/* Texts, tables and figures of a page, and the list of its headings. */
#include <string.h>
#include "viewer/html.h"
#include "viewer/page.h"

enum { LISTED_HEADINGS = 4, SORTED_ROWS = 3, SORTED_COLUMNS = 2, LONG_TEXT = 16 };

/* Writes <TAG ATTRIBUTES>TEXT</TAG>; nothing without text. */
static void put_element(FILE *f, const char *tag, const char *attributes, const char *text)
{
	if (!text || !text[0])
		return;
	fprintf(f, "<%s%s>", tag, attributes);
	gt_html_text(f, text);
	fprintf(f, "</%s>\n", tag);
}

void gt_page_put_contents(FILE *f, const gt_page *page)
{
	size_t headings = 0;
	for (size_t i = 0; i < page->parts; i++)
		headings += page->part[i].heading != NULL;
	if (headings < LISTED_HEADINGS)
		return;
	fputs("<nav aria-label=\"Contents\"><ul>\n", f);
	for (size_t i = 0; i < page->parts; i++) {
		char attributes[48];
		snprintf(attributes, sizeof attributes, " href=\"#part-%zu\"", i);
		if (page->part[i].heading) {
			fputs("<li>", f);
			put_element(f, "a", attributes, page->part[i].heading);
			fputs("</li>", f);
		}
	}
	fputs("</ul></nav>\n", f);
}

/* Numbers are right-aligned. */
static int is_number(const char *text)
{
	if (text && !strcmp(text, "–"))
		return 1;
	return text && text[strspn(text, "+-.")] && !text[strspn(text, "0123456789.+-eE%")] && strpbrk(text, "0123456789");
}

/* Cells with sentences keep a minimum width in narrow windows. */
static const char *cell_tag(const char *text, int head)
{
	if (head)
		return text && strlen(text) > LONG_TEXT ? "<th scope=\"col\" class=\"long\">" : "<th scope=\"col\">";
	return is_number(text) ? "<td class=\"n\">" : text && strlen(text) > LONG_TEXT ? "<td class=\"long\">" : "<td>";
}

/* Writes an element that scrolls horizontally in narrow windows and accepts keys. */
static void put_wide(FILE *f, const char *what, const gt_page_part *part)
{
	fprintf(f, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s", what);
	if (part->heading || part->caption) {
		fputs(": ", f);
		gt_html_text(f, part->heading ? part->heading : part->caption);
	}
	fputs("\">", f);
}

static void put_table(FILE *f, const gt_page_part *part)
{
	const int sorted = part->rows > SORTED_ROWS && part->columns > SORTED_COLUMNS;
	put_wide(f, "table", part);
	fprintf(f, "<table%s>\n<thead>\n", sorted ? " class=\"many sorted\"" : part->columns > SORTED_COLUMNS ? " class=\"many\"" : "");
	for (size_t r = 0; r < part->rows; r++) {
		fputs("<tr>", f);
		for (size_t c = 0; c < part->columns; c++) {
			const char *cell = part->cell[r * part->columns + c];
			fputs(cell_tag(cell, !r), f);
			gt_html_breakable(f, cell);
			fputs(r ? "</td>" : "</th>", f);
		}
		fputs(r ? "</tr>\n" : "</tr>\n</thead>\n<tbody>\n", f);
	}
	fputs("</tbody>\n</table></div>\n", f);
	put_element(f, "p", " class=\"caption\"", part->caption);
}

static void put_figure(FILE *f, const gt_page_part *part)
{
	fputs("<figure class=\"picture\">", f);
	put_wide(f, "figure", part);
	fputs("<img data-name=\"", f);
	gt_html_text(f, part->name);
	fputs("\" alt=\"", f);
	gt_html_text(f, part->alt);
	fprintf(f, "\" src=\"%s", part->image ? "data:image/png;base64," : "");
	if (part->image)
		gt_base64(f, part->image, part->image_bytes);
	fputs("\"></div>\n", f);
	put_element(f, "figcaption", "", part->caption);
	fputs("</figure>\n", f);
}

void gt_page_put_part(FILE *f, const gt_page *page, size_t i)
{
	const gt_page_part *part = &page->part[i];
	fprintf(f, "<section id=\"part-%zu\" class=\"%s\">\n", i, part->kind == GT_PAGE_VIEWER ? "viewer" : "part");
	put_element(f, "h2", "", part->heading);
	put_element(f, "p", "", part->text);
	if (part->kind == GT_PAGE_TABLE)
		put_table(f, part);
	else if (part->kind == GT_PAGE_FIGURE)
		put_figure(f, part);
	else if (part->kind == GT_PAGE_CURVE) {
		gt_page_put_curve(f, part);
		put_element(f, "p", " class=\"caption\"", part->caption);
	}
}
