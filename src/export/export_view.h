/* SPDX-License-Identifier: MIT */
/* The format of `ulf view`: one HTML file with the records and with scripts that draw them. */
#ifndef ULF_EXPORT_VIEW_H
#define ULF_EXPORT_VIEW_H

#include <stdint.h>

struct export_format;

/* Settings of the format, which settings.arg must point to. */
struct view_settings {
	uint64_t max_records;		/* maximum number of records; with more of them the
					 * export fails */
};

/* No row of the table of formats: `ulf view` has the settings. */
extern const struct export_format export_view;

#endif
