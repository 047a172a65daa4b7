// SPDX-License-Identifier: MIT
// The flame graph, and the table of functions and events.  Both are about a range of time, and
// about one thread or all of them.

// Add the times of the calls in a range up, in a tree of callers.  @thread: its number, -1: all
function sumCalls(trace, start, end, thread) {
	const { call } = trace, top = newNode(-1, null), nodes = new Array(trace.nrCalls);

	for (let i = 0; i < trace.nrCalls; i++) {
		const from = Math.max(start, call.start.data[i]);
		const to = Math.min(end, trace.knownEnd(i));

		if (to < from || (thread >= 0 && call.thread.data[i] !== thread))
			continue;

		const parent = call.parent.data[i] < 0 ? top : nodes[call.parent.data[i]] || top;
		const name = call.name.data[i];
		let node = parent.inner.get(name);

		if (!node)
			parent.inner.set(name, node = newNode(name, parent));
		nodes[i] = node;
		node.count++;
		node.total += to - from;
		node.self += to - from;
		node.least = Math.min(node.least, to - from);
		node.most = Math.max(node.most, to - from);
		parent.self -= to - from;
	}
	for (const node of top.inner.values())
		top.total += node.total;
	top.self = 0;
	return top;
}

function newNode(name, parent) {
	return {
		name,
		parent,
		inner: new Map(),
		count: 0,
		total: 0,
		self: 0,
		least: Infinity,
		most: 0
	};
}

class Flame {
	constructor(trace, canvas) {
		this.trace = trace;
		this.canvas = canvas;
		this.matches = null;
		this.key = '';
		this.top = 0;
	}

	// Use the calls of a range and of a thread.
	use(start, end, thread) {
		const key = [start, end, thread].join(' ');

		if (key === this.key)
			return;
		this.key = key;
		this.all = this.at = sumCalls(this.trace, start, end, thread);
		this.top = 0;
	}

	nameOf(node) {
		return node.name < 0 ? 'all' : this.trace.names[node.name];
	}

	// The boxes: the callers of the node that fills the width, the node, and what it calls.
	layOut() {
		const width = this.canvas.clientWidth - 8, callers = [], boxes = [];

		for (let node = this.at.parent; node; node = node.parent)
			callers.unshift(node);
		callers.forEach(
			(node, depth) => boxes.push({ node, x: 4, width, depth, isCaller: true }));
		this.addBoxes(boxes, this.at, 4, width, callers.length);
		this.boxes = boxes;
		this.height = (boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 3) * ROW;
	}

	addBoxes(boxes, node, x, width, depth) {
		const work = [{ node, x, width, depth }];

		while (work.length) {
			const box = work.pop();
			let at = box.x;

			boxes.push(box);
			for (const inner of [...box.node.inner.values()].sort(
				(a, b) => b.total - a.total)) {
				const wide = box.node.total ?
					inner.total / box.node.total * box.width :
					0;

				if (wide < 0.4)
					break;
				work.push(
					{ node: inner, x: at, width: wide, depth: box.depth + 1 });
				at += wide;
			}
		}
	}

	scroll(pixels) {
		this.top = Math.max(
			0, Math.min(this.top + pixels, this.height - this.canvas.clientHeight));
	}

	draw(palette) {
		const context = prepare(this.canvas), { matches } = this;

		context.fillStyle = palette.back;
		context.fillRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
		this.layOut();
		if (!this.all.total) {
			context.fillStyle = palette.dim;
			context.fillText(
				'No calls here.  `ulf record -p function_graph` records them.',
				20, 30);
			return;
		}
		for (const box of this.boxes) {
			const y = 6 + box.depth * ROW - this.top, name = this.nameOf(box.node);
			const isMatch = matches && matches.names.has(box.node.name);

			context.globalAlpha = box.isCaller ? 0.6 : 1;
			context.fillStyle = box.node.name < 0 || (matches && !isMatch) ?
				palette.grey :
				palette.of(name);
			context.fillRect(box.x, y, box.width > NARROW ? box.width - 0.7 : box.width,
				ROW - 1);
			if (isMatch) {
				context.fillStyle = palette.mark;
				context.fillRect(
					box.x, y + ROW - 4, Math.max(1, box.width - 0.7), 3);
			}
			context.fillStyle = palette.inBox;
			context.fillText(fit(context, name, box.width - 7), box.x + 3, y + ROW / 2);
		}
		context.globalAlpha = 1;
	}

	find(x, y) {
		const depth = Math.floor((y + this.top - 6) / ROW);

		return (this.boxes || [])
			.find(box => box.depth === depth && x >= box.x && x <= box.x + box.width);
	}

	// Let a box fill the width.
	zoom(box) {
		this.at = box.node;
	}

	text(box) {
		const { node } = box, { trace } = this;

		return `${this.nameOf(node)}\n${node.name < 0 ? '' : node.count + ' calls, '}` +
			`${trace.duration(node.total)}, ${
				(100 * node.total / this.all.total).toFixed(2)} %\n` +
			`without inner calls: ${trace.duration(node.self)}`;
	}
}

// ---- the table ----

const COLUMNS = [
	{ title: 'count', of: row => row.count, text: value => String(value) },
	{ title: 'total', of: row => row.total },
	{ title: 'self', of: row => row.self },
	{ title: 'average', of: row => row.total / row.count },
	{ title: 'min', of: row => row.least },
	{ title: 'max', of: row => row.most },
	{ title: 'name', of: row => row.name, text: value => value },
];
const ROWS_MAX = 2000;

// Add the nodes of a tree up by function.  A function that calls itself counts its time once.
function sumFunctions(trace, top) {
	const rows = new Map(), running = new Map(), work = [...top.inner.values()];

	while (work.length) {
		const node = work.pop();

		if (node.isLeft) {
			running.set(node.isLeft.name, running.get(node.isLeft.name) - 1);
			continue;
		}

		const row = rows.get(node.name) || {
			name: trace.names[node.name],
			count: 0,
			total: 0,
			self: 0,
			least: Infinity,
			most: 0
		};

		rows.set(node.name, row);
		row.count += node.count;
		row.self += node.self;
		row.total += running.get(node.name) ? 0 : node.total;
		row.least = Math.min(row.least, node.least);
		row.most = Math.max(row.most, node.most);
		running.set(node.name, (running.get(node.name) || 0) + 1);
		work.push({ isLeft: node }, ...node.inner.values());
	}
	return [...rows.values()];
}

function sumEvents(trace, start, end, thread) {
	const rows = trace.kinds.map(kind => ({ name: kind.system + ':' + kind.name, count: 0 }));
	const { event } = trace;

	for (let i = 0; i < trace.nrEvents; i++)
		if (event.time.data[i] >= start && event.time.data[i] <= end &&
			(thread < 0 || event.thread.data[i] === thread))
			rows[event.kind.data[i]].count++;
	return rows.filter(row => row.count);
}

class Summary {
	constructor(trace, table, onName) {
		this.trace = trace;
		this.table = table;
		this.onName = onName;
		this.column = 2;
		this.sign = -1;
		this.key = '';
	}

	use(start, end, thread) {
		const key = [start, end, thread].join(' ');

		if (key === this.key)
			return;
		this.key = key;
		this.rows = sumFunctions(this.trace, sumCalls(this.trace, start, end, thread))
			.concat(sumEvents(this.trace, start, end, thread));
		this.show();
	}

	show() {
		const column = COLUMNS[this.column];
		const value = row => column.of(row) === undefined ? -1 : column.of(row);
		const head = document.createElement('tr');

		const compare = (a, b) => value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0;

		this.rows.sort((a, b) => this.sign * (compare(a, b) || a.count - b.count));
		COLUMNS.forEach((one, i) => head.append(this.headCell(one, i)));
		this.table.replaceChildren(
			head, ...this.rows.slice(0, ROWS_MAX).map(row => this.line(row)));
		if (this.rows.length > ROWS_MAX)
			this.table.append(`${this.rows.length - ROWS_MAX} more`);
	}

	headCell(column, number) {
		const cell = document.createElement('th');

		cell.textContent = column.title +
			(number !== this.column ? '' :
					this.sign < 0 ? ' \u25be' :
							' \u25b4');
		cell.className = column.title === 'name' ? 'name' : '';
		cell.onclick = () => {
			this.sign = number === this.column ? -this.sign :
				column.title === 'name' ? 1 :
					-1;
			this.column = number;
			this.show();
		};
		return cell;
	}

	line(row) {
		const line = document.createElement('tr');

		for (const column of COLUMNS) {
			const cell = document.createElement('td'), value = column.of(row);

			cell.textContent = value === undefined || Number.isNaN(value) ? '' :
				column.text ? column.text(value) :
					this.trace.duration(value);
			if (column.title === 'name') {
				cell.className = 'name';
				cell.onclick = () => this.onName(row.name);
			}
			line.append(cell);
		}
		return line;
	}
}
