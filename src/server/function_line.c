/* SPDX-License-Identifier: MIT */
/* What the function tracer recorded: `function <-caller`. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "server/line_impl.h"
#include "server/merge.h"
#include "server/options.h"

#define IPS_OFFSET	8		/* of the two addresses in the record */

void function_print(const struct line *line, struct text *out)
{
	struct {
		uint64_t ip, parent_ip;
	} ips;

	if (line->record->bytes < IPS_OFFSET + sizeof(ips)) {
		text_puts(out, "[a function cut short]\n");
		return;
	}
	memcpy(&ips, line->record->data + IPS_OFFSET, sizeof(ips));
	if (line->options & OPTION_BIN) {
		text_write(out, &ips, sizeof(ips));
	} else if (line->options & OPTION_HEX) {
		text_printf(out, "%016" PRIx64 " %016" PRIx64 " ", ips.ip,
			    ips.parent_ip);
	} else if (line->options & OPTION_RAW) {
		text_printf(out, "%" PRIx64 " %" PRIx64 "\n", ips.ip, ips.parent_ip);
	} else {
		ip_print(line, ips.ip, false, out);
		if ((line->options & OPTION_PRINT_PARENT) && ips.parent_ip) {
			text_puts(out, " <-");
			ip_print(line, ips.parent_ip, true, out);
		}
		text_putc(out, '\n');
	}
}
