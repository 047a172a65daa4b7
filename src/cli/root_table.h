/* SPDX-License-Identifier: MIT */
/* The table of roots that `ulf ls` prints. */
#ifndef ULF_CLI_ROOT_TABLE_H
#define ULF_CLI_ROOT_TABLE_H

#include "base/text.h"
#include "cli/cli_roots.h"

/* The widths of columns of the table, in characters. */
struct root_columns {
	int user;			/* width of the column USER; 0 if the column is
					 * not printed */
	int name;
};

#define ROOT_NAME_WIDTH		20	/* minimum width of the column of names */

/* If a column is narrower than @text, make it as wide as @text. */
void root_table_widen(int *width, const char *text);
/* Make the column of names wide enough for all names of the list. */
void root_table_widen_names(struct root_columns *columns, const struct root_list *list);
/* Append a line with the titles of the columns. */
void root_table_put_titles(const struct root_columns *columns, struct text *out);
/* Append the line of a root.  @user: name of the owner, if the table has a column USER.
 * @state: state of the root to print.  @is_terminal: true to escape control characters. */
void root_table_put_row(const struct root_columns *columns, const char *user,
			const struct abi_root_row *row, const char *state, bool is_terminal,
			struct text *out);

#endif
