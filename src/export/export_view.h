/* SPDX-License-Identifier: MIT */
/* The format of `ulf view`: one HTML file with the records and with scripts that draw them. */
#ifndef ULF_EXPORT_VIEW_H
#define ULF_EXPORT_VIEW_H

#include <stdint.h>

struct export_format;

/* Settings of the format of `ulf view`; the caller of export_files() sets settings.arg to
 * their address. */
struct view_settings {
	uint64_t max_records;		/* maximum number of records; if there are more, the
					 * export fails */
};

/* This format is not in the table of formats, because only `ulf view` has the settings that
 * it needs. */
extern const struct export_format export_view;

#endif
