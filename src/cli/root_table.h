/* SPDX-License-Identifier: MIT */
/* The table of roots that `ulf ls` prints. */
#ifndef ULF_CLI_ROOT_TABLE_H
#define ULF_CLI_ROOT_TABLE_H

#include "base/text.h"
#include "cli/cli_roots.h"

/* The widths of columns, in characters. */
struct root_columns {
	int user;			/* width of the column USER; 0 if the column is
					 * not printed */
	int name;
};

#define ROOT_NAME_WIDTH		20	/* smallest width of the column of names */

/* Make a column as wide as @text, if it is narrower. */
void root_table_widen(int *width, const char *text);
/* Make the column of names as wide as the names of the list. */
void root_table_widen_names(struct root_columns *columns, const struct root_list *list);
/* Append the titles, as a line. */
void root_table_put_titles(const struct root_columns *columns, struct text *out);
/* Append the line of a root.  @user: name of the owner, if there is a column for it.  @state: the
 * state to print.  @is_terminal: escape control characters. */
void root_table_put_row(const struct root_columns *columns, const char *user,
			const struct abi_root_row *row, const char *state, bool is_terminal,
			struct text *out);

#endif
