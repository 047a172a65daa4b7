// SPDX-License-Identifier: MIT
// The records of the page, as arrays.  src/export/export_view.c describes the items.

const ITEM_OTHER = 0, ITEM_BEGIN = 1, ITEM_END = 2, ITEM_EVENT = 3;
const ITEM_THREAD = 4, ITEM_CPU = 8, ITEM_BACK = 16, ITEM_MORE = 32, ITEM_RETURN = 64;
const ITEM_DEPTH = 128;
const OTHER_END = 0, OTHER_THREAD = 1, OTHER_LOST = 2, OTHER_FILE = 3, OTHER_CLOCK = 4;
const VALUE_INT = 1, VALUE_UINT = 2, VALUE_DOUBLE = 3, VALUE_TEXT = 4;
const NO_UNIT = ['counter', 'x86-tsc'];  // clocks that do not count ns

// Make characters visible that change how a text is drawn, or that end its line.
function visible(text) {
	return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

// A list of numbers of calls or events, which grows.
class Numbers {
	constructor() {
		this.data = new Uint32Array(16);
		this.length = 0;
	}

	push(value) {
		if (this.length === this.data.length)
			this.data = longer(this.data);
		this.data[this.length++] = value;
	}
}

// Columns of numbers, which grow together.  @types: the type of each column's array, by its name
class Table {
	constructor(types) {
		this.length = 0;
		this.room = 16;
		this.columns = Object.keys(types).map(
			name => this[name] = { data: new types[name](this.room) });
	}

	// Returns the number of a new row, which is 0 in all columns.
	add() {
		if (this.length === this.room) {
			for (const column of this.columns)
				column.data = longer(column.data);
			this.room *= 2;
		}
		return this.length++;
	}
}

function longer(data) {
	const more = new data.constructor(2 * data.length);

	more.set(data);
	return more;
}

// Values from bytes, one after the other.
class Reader {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
		this.decoder = new TextDecoder();
	}

	byte() {
		if (this.at >= this.bytes.length)
			throw new Error('the records end too early');
		return this.bytes[this.at++];
	}

	// A number, exact up to 2^53.
	number() {
		let byte = this.byte(), value = byte & 127;

		for (let scale = 128; byte & 128; scale *= 128) {
			byte = this.byte();
			value += (byte & 127) * scale;
		}
		return value;
	}

	// A number of 64 bits.
	big() {
		let value = 0n, shift = 0n, byte;

		do {
			byte = this.byte();
			value |= BigInt(byte & 127) << shift;
			shift += 7n;
		} while (byte & 128);
		return BigInt.asUintN(64, value);
	}

	skip(bytes) {
		this.at += bytes;
	}

	text() {
		const bytes = this.number(), start = this.at;

		this.at += bytes;
		return visible(this.decoder.decode(this.bytes.subarray(start, this.at)));
	}

	double() {
		const at = this.bytes.byteOffset + this.at;

		this.at += 8;
		return new DataView(this.bytes.buffer).getFloat64(at, true);
	}
}

// Read a text.  Returns true if it contains the bytes; with @isWhole, if it consists of them.
// Capital letters of ASCII match small ones.
function hasBytes(reader, bytes, isWhole) {
	const length = reader.number(), start = reader.at, last = start + length - bytes.length;

	reader.skip(length);
	if (isWhole && length !== bytes.length)
		return false;
	for (let at = start; at <= last; at++) {
		let i = 0;

		while (i < bytes.length && small(reader.bytes[at + i]) === bytes[i])
			i++;
		if (i === bytes.length)
			return true;
	}
	return false;
}

function small(letter) {
	return letter >= 65 && letter <= 90 ? letter + 32 : letter;
}

// Decode lines of base64.
function decodeBase64(text) {
	const lines = text.replace(/^\s+|\s+$/g, ''), parts = [];
	let bytes = 0, at = 0;

	for (let i = 0; i < lines.length; i += 129 * 8192) {
		const one = atob(lines.slice(i, i + 129 * 8192));

		parts.push(one);
		bytes += one.length;
	}

	const all = new Uint8Array(bytes);

	for (const one of parts)
		for (let i = 0; i < one.length; i++)
			all[at++] = one.charCodeAt(i);
	return all;
}

// The trace.  Times are ns after the first record.  A call and an event is a number, the index into
// the arrays of all calls or all events.
class Trace {
	constructor(bytes) {
		this.bytes = bytes;
		this.reader = new Reader(bytes);  // for searches
		this.files = [];
		this.clock = '';
		this.names = [];  // of functions
		this.numbers = new Map();  // of names
		this.kinds = [];  // kinds of events
		this.threads = [];
		this.cpus = [];  // of each CPU, which threads had records
		this.losses = [];
		this.base = null;  // time of the first record
		this.end = 0;  // time of the last record
		this.call = new Table({
			name: Uint32Array,
			start: Float64Array,
			end: Float64Array,
			depth: Uint16Array,
			thread: Uint32Array,
			cpu: Uint32Array,
			parent: Int32Array,
			args: Uint32Array,
			value: Uint32Array,
			returned: Uint8Array,
		});
		this.event = new Table({
			kind: Uint32Array,
			time: Float64Array,
			thread: Uint32Array,
			cpu: Uint32Array,
			values: Uint32Array,
		});
		this.read(new Reader(bytes));
		this.finish();
	}

	get nrCalls() {
		return this.call.length;
	}

	get nrEvents() {
		return this.event.length;
	}

	read(reader) {
		const functions = [0];  // number of a name, by the function's number
		let time = 0, thread = 0, cpu = 0;

		for (;;) {
			const item = reader.byte(), kind = item & 3;

			if (kind === ITEM_OTHER) {
				if (!this.readOther(reader))
					break;
				continue;
			}
			if (item & ITEM_THREAD)
				thread = reader.number();
			if (item & ITEM_CPU)
				cpu = reader.number();
			if (this.base === null) {
				this.base = reader.big();
			} else {
				const step = reader.number();

				time += item & ITEM_BACK ? -step : step;
			}
			if (kind === ITEM_BEGIN)
				this.readBegin(reader, item, functions, time, thread, cpu);
			else if (kind === ITEM_END)
				this.readEnd(reader, item, time, thread);
			else
				this.readEvent(reader, time, thread, cpu);
			this.addRun(time, thread, cpu);
			if (kind !== ITEM_END || item & ITEM_RETURN)
				this.threads[thread].last = time;
			this.end = Math.max(this.end, time);
		}
	}

	// Returns false after the last item.
	readOther(reader) {
		const other = reader.number();

		if (other === OTHER_END) {
			this.nrRecords = reader.number();
			this.nrLost = reader.number();
			return false;
		}
		if (other === OTHER_FILE) {
			this.files.push(reader.text());
		} else if (other === OTHER_CLOCK) {
			this.clock = reader.text();
		} else if (other === OTHER_THREAD) {
			this.threads.push({
				number: this.threads.length,
				pid: reader.number(),
				tgid: reader.number(),
				comm: reader.text(),
				process: reader.text(),
				instance: reader.text(),
				rows: [],
				stack: [],
				events: new Numbers(),
				isOpen: true,
				last: 0,  // time of the last record
			});
		} else if (other === OTHER_LOST) {
			this.losses.push({
				cpu: reader.number(),
				at: reader.big(),
				number: reader.number()
			});
		} else {
			throw new Error('an unknown item ' + other);
		}
		return true;
	}

	nameNumber(name) {
		let number = this.numbers.get(name);

		if (number === undefined) {
			number = this.names.length;
			this.names.push(name);
			this.numbers.set(name, number);
		}
		return number;
	}

	readName(reader, functions) {
		const number = reader.number();

		if (!number)
			return this.nameNumber('0x' + reader.big().toString(16));
		if (number === functions.length)
			functions.push(this.nameNumber(reader.text()));
		return functions[number];
	}

	readBegin(reader, item, functions, time, number, cpu) {
		const call = this.call, index = call.add(), thread = this.threads[number];
		const parent = thread.stack.length ? thread.stack[thread.stack.length - 1] : -1;
		const depth = item & ITEM_DEPTH ? reader.number() :
			parent < 0 ? 0 : call.depth.data[parent] + 1;
		const row = thread.rows[depth] || (thread.rows[depth] = new Numbers());
		// Calls of a row do not overlap, whatever the records say.
		const last = row.length ? call.end.data[row.data[row.length - 1]] : -Infinity;

		call.start.data[index] = Math.max(time, last);
		call.end.data[index] = time;
		call.name.data[index] = this.readName(reader, functions);
		call.depth.data[index] = depth;
		call.thread.data[index] = number;
		call.cpu.data[index] = cpu;
		call.parent.data[index] = parent;
		if (item & ITEM_MORE) {
			call.args.data[index] = reader.at;
			for (let left = reader.number(); left; left--)
				reader.number();
		}
		row.push(index);
		thread.stack.push(index);
	}

	readEnd(reader, item, time, number) {
		const call = this.call, index = this.threads[number].stack.pop();

		if (index === undefined)
			throw new Error('a call ends that has not begun');
		call.end.data[index] = Math.max(time, call.start.data[index]);
		call.returned.data[index] = item & ITEM_RETURN ? 1 : 0;
		if (item & ITEM_MORE) {
			call.value.data[index] = reader.at;
			reader.number();
		}
	}

	readEvent(reader, time, number, cpu) {
		const event = this.event, index = event.add(), id = reader.number();

		if (id > this.kinds.length)
			this.readKind(reader);
		event.kind.data[index] = id - 1;
		event.time.data[index] = time;
		event.thread.data[index] = number;
		event.cpu.data[index] = cpu;
		event.values.data[index] = reader.at;
		this.threads[number].events.push(index);
		for (let left = this.kinds[id - 1].fields.length; left; left--)
			this.skipValue(reader);
	}

	readKind(reader) {
		const kind = { system: reader.text(), name: reader.text(), fields: [] };

		for (let left = reader.number(); left; left--)
			kind.fields.push({ name: reader.text(), type: reader.text() });
		this.kinds.push(kind);
	}

	skipValue(reader) {
		const kind = reader.byte();

		if (kind === VALUE_TEXT)
			reader.skip(reader.number());
		else if (kind === VALUE_DOUBLE)
			reader.skip(8);
		else if (kind)
			reader.number();
	}

	// A run: the time from the first to the last of successive records of a thread on a CPU.
	addRun(time, thread, cpu) {
		const runs = this.cpus[cpu] || this.addCpu(cpu), last = runs.length - 1;

		if (last >= 0 && runs.thread.data[last] === thread &&
			this.threads[thread].cpu === cpu) {
			if (time > runs.end.data[last])
				runs.end.data[last] = time;
			return;
		}

		const start = last < 0 ? time : Math.max(time, runs.end.data[last]);
		const index = runs.add();

		runs.start.data[index] = start;
		runs.end.data[index] = start;
		runs.thread.data[index] = thread;
		this.threads[thread].cpu = cpu;
	}

	addCpu(cpu) {
		const runs = new Table(
			{ start: Float64Array, end: Float64Array, thread: Uint32Array });

		runs.cpu = cpu;
		return this.cpus[cpu] = runs;
	}

	finish() {
		// Depths without a call need no row.
		for (const thread of this.threads) {
			thread.rows = thread.rows.filter(row => row);
			thread.rowOf = new Map(thread.rows.map(
				(row, i) => [this.call.depth.data[row.data[0]], i]));
			thread.label = thread.comm + ' ' + thread.pid +
				(thread.instance ? ' [' + thread.instance + ']' : '');
		}
		this.cpus = this.cpus.filter(runs => runs);
		this.base = this.base === null ? 0n : this.base;
		for (const loss of this.losses)
			loss.time = Number(loss.at - this.base);
		this.hasUnit = !NO_UNIT.includes(this.clock);
	}

	// The fields of an event: name, value as a text.
	fields(index) {
		const reader = new Reader(this.bytes, this.event.values.data[index]);
		const kind = this.kinds[this.event.kind.data[index]];

		return kind.fields.map(
			field => ({ name: field.name, text: this.value(reader, field.type) }));
	}

	value(reader, type) {
		const kind = reader.byte();

		if (kind === VALUE_TEXT)
			return reader.text();
		if (kind === VALUE_DOUBLE)
			return String(reader.double());
		if (!kind)
			return '(missing)';

		const at = reader.at, isAddress = kind === VALUE_UINT && type.includes('*');
		const number = reader.number();

		if (number < 2 ** 53)
			return isAddress ? '0x' + number.toString(16) : String(number);
		reader.at = at;

		const big = reader.big();

		return isAddress ? '0x' + big.toString(16) :
			kind === VALUE_INT ? BigInt.asIntN(64, big).toString() : big.toString();
	}

	// Returns true if a field of the event has the text in its value; with a name, if the field
	// with this name has the text as its value.  Name and text are in lower case.
	hasField(index, text, name) {
		const reader = this.reader, kind = this.kinds[this.event.kind.data[index]];

		reader.at = this.event.values.data[index];
		for (const field of kind.fields) {
			if (name !== null && field.name.toLowerCase() !== name)
				this.skipValue(reader);
			else if (this.bytes[reader.at] === VALUE_TEXT) {
				reader.skip(1);
				if (hasBytes(reader, text.bytes, name !== null))
					return true;
			} else {
				const value = this.value(reader, field.type).toLowerCase();

				if (name === null ? value.includes(text.text) : value === text.text)
					return true;
			}
		}
		return false;
	}

	args(index) {
		const at = this.call.args.data[index], found = [];

		if (at) {
			const reader = new Reader(this.bytes, at);

			for (let left = reader.number(); left; left--)
				found.push('0x' + reader.big().toString(16));
		}
		return found;
	}

	returnValue(index) {
		const at = this.call.value.data[index];

		return at ? '0x' + new Reader(this.bytes, at).big().toString(16) : null;
	}

	// The time up to which a call is known to run.  A call without a record of its end lasts to
	// the end of all records, or to the next call of its thread at its depth; but the thread
	// may have ended after its own last record.
	knownEnd(index) {
		const { start, end, returned, thread } = this.call;

		return returned.data[index] ? end.data[index] : Math.min(end.data[index],
			Math.max(start.data[index], this.threads[thread.data[index]].last));
	}

	// The row of the thread that has the call.
	rowOf(index) {
		const thread = this.threads[this.call.thread.data[index]];

		return thread.rows[thread.rowOf.get(this.call.depth.data[index])];
	}

	// The time of a call without the calls that it has made.
	selfTime(index) {
		const call = this.call, thread = this.threads[call.thread.data[index]];
		const start = call.start.data[index], end = call.end.data[index];
		const row = thread.rows[thread.rowOf.get(call.depth.data[index]) + 1];
		let self = end - start;

		for (let i = row ? this.firstOf(row, start) : 0; row && i < row.length; i++) {
			const inner = row.data[i];

			if (call.start.data[inner] >= end)
				break;
			self -= call.parent.data[inner] === index ?
				call.end.data[inner] - call.start.data[inner] :
				0;
		}
		return self;
	}

	// The position in the row of the first call that ends after @time.
	firstOf(row, time, low = 0) {
		const ends = this.call.end.data;
		let high = row.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (ends[row.data[middle]] > time)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	// The position of the first event of the list at @time or later.
	firstEvent(list, time, low = 0) {
		const times = this.event.time.data;
		let high = list.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (times[list.data[middle]] >= time)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	// A duration, with a unit.
	duration(ns) {
		const units = [['s', 1e9], ['ms', 1e6], ['us', 1e3]];
		const size = Math.abs(ns), unit = units.find(one => size >= one[1]);

		if (!this.hasUnit)
			return String(Math.round(ns));
		if (!unit)
			return (Number.isInteger(ns) ? ns : ns.toFixed(1)) + ' ns';
		return (ns / unit[1]).toFixed(3) + ' ' + unit[0];
	}

	// The time as `trace` prints it, with ns.
	absolute(time) {
		const at = this.base + BigInt(Math.round(time));

		return this.hasUnit ?
			at / 1000000000n + '.' + (at % 1000000000n).toString().padStart(9, '0') :
			at.toString();
	}
}
