// SPDX-License-Identifier: MIT
// The timeline: CPUs, threads, their calls and events, on a canvas.  Only what is visible is drawn.
// Calls that are narrower than a pixel are drawn as one.

const FONT = '11px ui-monospace, "DejaVu Sans Mono", monospace';
const ROW = 17, GUTTER = 190, AXIS = 22, OVERVIEW = 44, HEAD = AXIS + OVERVIEW;
const PARTS = 1024;  // of the time, in the overview
const NARROW = 2;  // pixels; narrower calls have no gap to the next one

// Colours of a scheme, and of names.
class Palette {
	constructor(isDark) {
		this.isDark = isDark;
		this.back = isDark ? '#1b1c1e' : '#fdfdfb';
		this.text = isDark ? '#dddddd' : '#222222';
		this.dim = isDark ? '#8a8a8a' : '#777777';
		this.line = isDark ? '#323336' : '#e2e2de';
		this.panel = isDark ? '#26272a' : '#f1f1ee';
		this.mark = isDark ? '#6aa7ff' : '#1a66cc';
		this.range = isDark ? '#6aa7ff30' : '#1a66cc22';
		this.lost = '#dd3333';
		this.grey = isDark ? '#3a3b3e' : '#dcdcd8';
		this.inBox = isDark ? '#eeeeee' : '#1c1c1c';
		this.known = new Map();
	}

	// The colour of a name is the same one in all pictures.
	of(name) {
		let colour = this.known.get(name);

		if (!colour) {
			let hash = 2166136261;

			for (let i = 0; i < name.length; i++)
				hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
			hash = Math.imul(hash ^ (hash >>> 15), 2246822519) >>> 0;
			const hue = hash % 360, more = (hash >>> 9) % 20;
			const light = (hash >>> 14) % 10;

			colour = this.isDark ? `hsl(${hue} ${30 + more}% ${30 + light}%)` :
				`hsl(${hue} ${45 + more}% ${72 + light}%)`;
			this.known.set(name, colour);
		}
		return colour;
	}

	// The colours of successive threads differ.
	ofThread(number) {
		const hue = (200 + number * 137.5) % 360;

		return this.isDark ? `hsl(${hue} 35% 36%)` : `hsl(${hue} 55% 76%)`;
	}
}

// Give the canvas the size that it has on the screen.  Returns its context, in CSS pixels.
function prepare(canvas) {
	const ratio = window.devicePixelRatio || 1;
	const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
	const context = canvas.getContext('2d', { alpha: false });

	if (canvas.width !== Math.round(width * ratio) ||
		canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = FONT;
	context.textBaseline = 'middle';
	return context;
}

// Shorten a name to a width, in a font whose letters have one width.
let letterWidth = 0;
function fit(context, name, pixels) {
	if (!letterWidth)
		letterWidth = context.measureText('MMMMMMMMMM').width / 10;

	const fits = Math.floor(pixels / letterWidth);

	if (name.length <= fits)
		return name;
	return fits < 3 ? '' : name.slice(0, fits - 1) + '\u2026';
}

class Timeline {
	constructor(trace, canvas) {
		this.trace = trace;
		this.canvas = canvas;
		this.top = 0;  // pixels that are scrolled out
		this.selected = null;  // { call } or { event }
		this.range = null;  // [start, end]: a range of time
		this.matches = null;  // see Search
		this.areCpusOpen = true;
		this.layOut();
		this.showAll();
		this.density = this.countDensity();
	}

	// ---- times and places ----

	get width() {
		return Math.max(100, this.canvas.clientWidth - GUTTER);
	}

	get plotHeight() {
		return Math.max(1, this.canvas.clientHeight - HEAD);
	}

	xOf(time) {
		return GUTTER + (time - this.start) / (this.end - this.start) * this.width;
	}

	timeOf(x) {
		return this.start + (x - GUTTER) / this.width * (this.end - this.start);
	}

	show(start, end) {
		const all = Math.max(1, this.trace.end), margin = all * 0.02;
		const length = Math.min(Math.max(end - start, 10), all + 2 * margin);

		this.start = Math.min(
			Math.max((start + end - length) / 2, -margin), all + margin - length);
		this.end = this.start + length;
	}

	showAll() {
		const all = Math.max(1, this.trace.end);

		this.show(-all * 0.01, all * 1.01);
	}

	// Zoom; the time at @x stays where it is.
	zoom(factor, x) {
		const middle = this.timeOf(x);

		this.show(middle - (middle - this.start) * factor,
			middle + (this.end - middle) * factor);
	}

	// Move by a part of the width.
	move(part) {
		const step = (this.end - this.start) * part;

		this.show(this.start + step, this.end + step);
	}

	scroll(pixels) {
		this.top = Math.max(0, Math.min(this.top + pixels, this.height - this.plotHeight));
	}

	// ---- tracks ----

	// Lay out the tracks, from top to bottom.
	layOut() {
		const tracks = [], processes = new Map();
		let y = 6;
		const add = (track, height) => {
			tracks.push({ ...track, y, height });
			y += height;
		};

		add({ type: 'cpus', label: 'CPUs', isOpen: this.areCpusOpen }, ROW + 3);
		for (const runs of this.areCpusOpen ? this.trace.cpus : [])
			add({ type: 'cpu', label: 'CPU ' + runs.cpu, runs }, ROW + 1);
		for (const thread of this.trace.threads) {
			const key = thread.tgid + ' ' + thread.instance;

			if (!processes.has(key))
				processes.set(key, []);
			processes.get(key).push(thread);
		}
		for (const threads of processes.values()) {
			const first = threads[0];

			y += 8;
			add({ type: 'process', label: first.process + ' ' + first.tgid }, ROW + 3);
			for (const thread of threads)
				this.layOutThread(thread, add);
		}
		this.tracks = tracks;
		this.height = y + ROW;
	}

	layOutThread(thread, add) {
		const hasEvents = thread.events.length > 0, nr = thread.rows.length;
		const label = thread.label, isOpen = thread.isOpen;
		// A thread has its label at its first track.
		const named = type => ({ type, thread, label, isOpen, isFirst: true });

		if (hasEvents)
			add(named('events'), ROW + 3);
		for (let i = 0; i < (isOpen ? nr : Math.min(nr, 1)); i++)
			add({
				...(hasEvents || i ? { type: 'calls', thread } : named('calls')),
				row: thread.rows[i]
			},
				i === nr - 1 || !isOpen ? ROW + 5 : ROW);
		if (!hasEvents && !nr)
			add(named('events'), ROW + 3);
	}

	trackAt(y) {
		const at = y - HEAD + this.top;

		return y < HEAD ?
			null :
			this.tracks.find(track => at >= track.y && at < track.y + track.height);
	}

	// Open or close what the label at @y names.  Returns false if there is nothing to open.
	toggle(y) {
		const track = this.trackAt(y);

		if (!track)
			return false;
		if (track.type === 'cpus' || track.type === 'cpu')
			this.areCpusOpen = !this.areCpusOpen;
		else if (track.thread)
			track.thread.isOpen = !track.thread.isOpen;
		else
			this.toggleProcess(track);
		this.layOut();
		this.scroll(0);
		return true;
	}

	toggleProcess(track) {
		const at = this.tracks.indexOf(track), threads = [];

		for (let i = at + 1; i < this.tracks.length && this.tracks[i].thread; i++)
			threads.push(this.tracks[i].thread);

		const isOpen = !threads.some(thread => thread.isOpen);

		for (const thread of threads)
			thread.isOpen = isOpen;
	}

	// ---- what is shown ----

	timesOf(item) {
		const { call, event } = this.trace;

		return item.call !== undefined ?
			[call.start.data[item.call], call.end.data[item.call]] :
			[event.time.data[item.event], event.time.data[item.event]];
	}

	threadOf(item) {
		const { call, event } = this.trace;

		return this.trace.threads[item.call !== undefined ? call.thread.data[item.call] :
			event.thread.data[item.event]];
	}

	trackOf(item) {
		const thread = this.threadOf(item);

		if (item.event !== undefined)
			return this.tracks.find(
				track => track.thread === thread && track.type === 'events');

		const row = this.trace.rowOf(item.call);

		return this.tracks.find(track => track.row === row);
	}

	select(item) {
		this.selected = item;
	}

	// Select an item, and move to it if it is not visible.
	reveal(item) {
		const [start, end] = this.timesOf(item), length = this.end - this.start;

		this.select(item);
		if (start > this.end - length * 0.05 || end < this.start + length * 0.05)
			this.show((start + end - length) / 2, (start + end + length) / 2);
		if (item.call !== undefined && !this.trackOf(item)) {
			this.threadOf(item).isOpen = true;
			this.layOut();
		}

		const track = this.trackOf(item);

		if (track.y < this.top + ROW ||
			track.y + track.height > this.top + this.plotHeight - ROW)
			this.scroll(track.y - this.plotHeight / 2 - this.top);
	}

	zoomTo(item) {
		const [start, end] = this.timesOf(item);
		const margin = Math.max((end - start) * 0.1, end > start ? 5 : 500);

		this.reveal(item);
		this.show(start - margin, end + margin);
	}

	// The item of the same row before or after.  @step: -1 or 1
	neighbour(item, step) {
		const track = this.trackOf(item);

		if (!track)
			return null;
		const list = item.call !== undefined ? track.row : track.thread.events;
		const index = item.call !== undefined ? item.call : item.event;
		const at = list.data.subarray(0, list.length).indexOf(index) + step;

		if (at < 0 || at >= list.length)
			return null;
		return item.call !== undefined ? { call: list.data[at] } : { event: list.data[at] };
	}

	caller(item) {
		const parent =
			item.call !== undefined ? this.trace.call.parent.data[item.call] : -1;

		return parent < 0 ? null : { call: parent };
	}

	// Find the call, the event or the run at a place of the canvas.
	find(x, y) {
		const track = x < GUTTER ? null : this.trackAt(y);
		const pixel = (this.end - this.start) / this.width;
		const time = this.timeOf(x);

		if (!track)
			return null;
		if (track.type === 'calls') {
			const at = this.trace.firstOf(track.row, time - 2 * pixel);
			const call = track.row.data[at];

			return at < track.row.length &&
					this.trace.call.start.data[call] <= time + 2 * pixel ?
				{ call } :
				null;
		}
		if (track.type === 'events')
			return this.findEvent(track.thread.events, time, 5 * pixel);
		return track.type === 'cpu' ? this.findRun(track.runs, time, 2 * pixel) : null;
	}

	findEvent(list, time, distance) {
		const times = this.trace.event.time.data;
		let best = null, least = distance;

		for (let i = this.trace.firstEvent(list, time - distance); i < list.length; i++) {
			const away = Math.abs(times[list.data[i]] - time);

			if (times[list.data[i]] > time + distance)
				break;
			if (away <= least) {
				best = { event: list.data[i] };
				least = away;
			}
		}
		return best;
	}

	findRun(runs, time, distance) {
		const at = this.firstRun(runs, time - distance);

		return at < runs.length && runs.start.data[at] <= time + distance ? {
			cpu: runs.cpu,
			run: at,
			thread: this.trace.threads[runs.thread.data[at]],
			start: runs.start.data[at],
			end: runs.end.data[at]
		} :
											null;
	}

	firstRun(runs, time, low = 0) {
		let high = runs.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (runs.end.data[middle] >= time)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	// ---- drawing ----

	draw(palette) {
		const context = prepare(this.canvas), width = this.canvas.clientWidth;
		const height = this.canvas.clientHeight;

		this.context = context;
		this.palette = palette;
		context.fillStyle = palette.back;
		context.fillRect(0, 0, width, height);
		this.clip(GUTTER, HEAD, width, height, () => {
			this.drawGrid(height);
			for (const track of this.visibleTracks())
				this.drawTrack(track, HEAD + track.y - this.top);
			this.drawMatches();
			this.drawRange(HEAD, height);
		});
		this.clip(0, HEAD, width, height, () => {
			for (const track of this.visibleTracks())
				this.drawLabel(track, HEAD + track.y - this.top);
		});
		this.drawHead(width);
		this.drawScrollBar(width, height);
	}

	clip(x, y, right, bottom, work) {
		this.context.save();
		this.context.beginPath();
		this.context.rect(x, y, right - x, bottom - y);
		this.context.clip();
		work();
		this.context.restore();
	}

	visibleTracks() {
		return this.tracks.filter(track => track.y + track.height > this.top &&
				track.y < this.top + this.plotHeight);
	}

	drawLabel(track, y) {
		const { context, palette } = this;
		const isHead = track.type === 'process' || track.type === 'cpus';

		if (isHead) {
			context.fillStyle = palette.panel;
			context.fillRect(0, y, this.canvas.clientWidth, track.height - 3);
		}
		if (!track.label)
			return;
		context.fillStyle = isHead ? palette.text : palette.dim;
		if (track.isOpen !== undefined)
			context.fillText(
				track.isOpen ? '\u25be' : '\u25b8', isHead ? 5 : 12, y + ROW / 2);
		context.fillText(
			fit(context, track.label, GUTTER - 36), isHead ? 18 : 25, y + ROW / 2);
	}

	drawTrack(track, y) {
		if (track.type === 'calls')
			this.drawCalls(track.row, y);
		else if (track.type === 'events')
			this.drawEvents(track.thread.events, y);
		else if (track.type === 'cpu')
			this.drawRuns(track.runs, y);
	}

	// Draw a box.  Returns true if it is as wide as a name.
	box(x, right, y, colour) {
		const { context } = this, width = right - x;

		context.fillStyle = colour;
		context.fillRect(x, y, width > NARROW ? width - 0.6 : Math.max(1, width), ROW - 1);
		return width > 22;
	}

	// Make the part of a box pale in which it is not known whether the call runs.
	fade(x, right, y) {
		if (right - x < 1)
			return;
		this.context.globalAlpha = 0.6;
		this.context.fillStyle = this.palette.back;
		this.context.fillRect(Math.max(x, GUTTER), y, right - x, ROW - 1);
		this.context.globalAlpha = 1;
	}

	// Write a name into a box; the short one if the other does not fit.
	boxText(text, x, right, y, short = text) {
		const { context } = this, left = Math.max(x, GUTTER);
		const pixels = Math.min(right, this.canvas.clientWidth) - left - 7;
		const whole = fit(context, text, pixels);

		context.fillStyle = this.palette.inBox;
		context.fillText(
			whole === text ? text : fit(context, short, pixels), left + 3, y + ROW / 2);
	}

	drawCalls(row, y) {
		const { trace, palette, matches } = this, { start, end, name } = trace.call;
		const pixel = (this.end - this.start) / this.width;
		const selected = this.selected ? this.selected.call : undefined;

		for (let i = trace.firstOf(row, this.start); i < row.length; ) {
			const call = row.data[i];

			if (start.data[call] > this.end)
				break;

			const x = this.xOf(start.data[call]), right = this.xOf(end.data[call]);
			const text = trace.names[name.data[call]];
			const isWide = this.box(Math.max(x, GUTTER - 5), right, y,
				matches && !matches.names.has(name.data[call]) ? palette.grey :
					palette.of(text));

			this.fade(this.xOf(trace.knownEnd(call)), right, y);
			if (isWide)
				this.boxText(text, x, right, y);
			// What ends within this pixel is not visible.
			i = right - x >= 1 ?
				i + 1 :
				trace.firstOf(row,
					Math.max(end.data[call], start.data[call] + pixel), i + 1);
		}
		if (selected !== undefined && row.length && this.isIn(row, selected))
			this.frame(this.xOf(start.data[selected]), this.xOf(end.data[selected]), y);
	}

	isIn(row, call) {
		const { thread, depth } = this.trace.call, first = row.data[0];

		return thread.data[first] === thread.data[call] &&
			depth.data[first] === depth.data[call];
	}

	frame(x, right, y) {
		const { context } = this, left = Math.max(x, GUTTER - 5);
		const end = Math.min(right, this.canvas.clientWidth + 5);

		context.strokeStyle = this.palette.text;
		context.lineWidth = 2;
		context.strokeRect(left, y, Math.max(2, end - left), ROW - 1);
	}

	drawEvents(list, y) {
		const { trace, context, palette, matches } = this, { time, kind } = trace.event;
		const pixel = (this.end - this.start) / this.width;
		const selected = this.selected ? this.selected.event : undefined;

		for (let i = trace.firstEvent(list, this.start - 8 * pixel); i < list.length; ) {
			const event = list.data[i], x = this.xOf(time.data[event]);

			if (time.data[event] > this.end)
				break;

			const next = trace.firstEvent(list, time.data[event] + 1.5 * pixel, i + 1);
			const name = trace.kinds[kind.data[event]].name;
			const space = next < list.length ?
				this.xOf(time.data[list.data[next]]) - x :
				Infinity;

			context.fillStyle = matches && !matches.kinds.has(kind.data[event]) ?
				palette.grey :
				palette.of(name);
			if (next - i > 1)
				context.fillRect(x - 0.5, y + 1, 2, ROW - 2);
			else
				this.diamond(x, y + ROW / 2);
			if (space > 40) {
				context.fillStyle = palette.dim;
				context.fillText(
					fit(context,
						name + (next - i > 1 ? ' \u00d7' + (next - i) : ''),
						Math.min(space, 400) - 14),
					x + 7, y + ROW / 2);
			}
			i = next;
		}
		if (selected !== undefined &&
			trace.threads[trace.event.thread.data[selected]].events === list) {
			context.strokeStyle = palette.text;
			context.lineWidth = 2;
			context.strokeRect(this.xOf(time.data[selected]) - 6, y, 12, ROW);
		}
	}

	diamond(x, y) {
		const { context } = this;

		context.beginPath();
		context.moveTo(x, y - 6);
		context.lineTo(x + 5, y);
		context.lineTo(x, y + 6);
		context.lineTo(x - 5, y);
		context.fill();
		context.strokeStyle = this.palette.dim;
		context.lineWidth = 0.7;
		context.stroke();
	}

	drawRuns(runs, y) {
		const pixel = (this.end - this.start) / this.width, { trace, context } = this;

		for (let i = this.firstRun(runs, this.start); i < runs.length; ) {
			const start = runs.start.data[i], end = runs.end.data[i];

			if (start > this.end)
				break;

			const x = this.xOf(start), right = this.xOf(end);
			const thread = trace.threads[runs.thread.data[i]];

			if (this.box(Math.max(x, GUTTER - 5), right, y,
				this.palette.ofThread(thread.number)))
				this.boxText(thread.label, x, right, y, String(thread.pid));
			i = right - x >= 1 ?
				i + 1 :
				this.firstRun(runs, Math.max(end, start + pixel), i + 1);
		}
		context.fillStyle = this.palette.lost;
		for (const loss of trace.losses)
			if (loss.cpu === runs.cpu && loss.time >= this.start &&
				loss.time <= this.end)
				context.fillRect(this.xOf(loss.time) - 1, y - 1, 3, ROW + 1);
	}

	// Mark the matches of a search, also those that are narrower than a pixel.
	drawMatches() {
		if (!this.matches)
			return;
		this.context.fillStyle = this.palette.mark;
		for (const track of this.visibleTracks()) {
			const y = HEAD + track.y - this.top + ROW - 4;

			if (track.type === 'calls')
				this.markCalls(this.matches.ofRow(track.row), y);
			else if (track.type === 'events')
				this.markEvents(this.matches.ofRow(track.thread.events), y);
		}
	}

	markCalls(list, y) {
		const { trace } = this, { start, end } = trace.call;
		const pixel = (this.end - this.start) / this.width;

		for (let i = trace.firstOf(list, this.start); i < list.length; ) {
			const call = list.data[i];

			if (start.data[call] > this.end)
				break;

			const x = Math.max(this.xOf(start.data[call]), GUTTER - 5);
			const right = Math.min(this.xOf(end.data[call]), this.canvas.clientWidth);

			this.context.fillRect(x, y, Math.max(2, right - x), 3);
			i = trace.firstOf(
				list, Math.max(end.data[call], start.data[call] + pixel), i + 1);
		}
	}

	markEvents(list, y) {
		const { trace } = this, times = trace.event.time.data;
		const pixel = (this.end - this.start) / this.width;

		for (let i = trace.firstEvent(list, this.start); i < list.length; ) {
			const time = times[list.data[i]];

			if (time > this.end)
				break;
			this.context.fillRect(this.xOf(time) - 1, y, 3, 3);
			i = trace.firstEvent(list, time + pixel, i + 1);
		}
	}

	drawRange(top, bottom) {
		const { context, range } = this;

		if (!range)
			return;
		context.fillStyle = this.palette.range;
		context.fillRect(this.xOf(range[0]), top, this.xOf(range[1]) - this.xOf(range[0]),
			bottom - top);
		context.fillStyle = this.palette.mark;
		context.fillRect(this.xOf(range[0]), top, 1, bottom - top);
		context.fillRect(this.xOf(range[1]), top, 1, bottom - top);
	}

	// ---- axis and overview ----

	// The distance of the lines of the grid: 1, 2 or 5 times a power of ten.
	step() {
		const least = (this.end - this.start) / this.width * 110;
		const power = 10 ** Math.floor(Math.log10(least));

		return power * [1, 2, 5, 10].find(factor => factor * power >= least);
	}

	drawGrid(height) {
		const step = this.step(), { context } = this;

		context.fillStyle = this.palette.line;
		for (let at = Math.ceil(this.start / step); at * step <= this.end; at++)
			context.fillRect(Math.round(this.xOf(at * step)), HEAD, 1, height);
	}

	// The time of a line of the grid, with as many digits as the distance needs.
	tickText(time, step) {
		const units = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]];
		const size = Math.max(Math.abs(this.start), Math.abs(this.end));
		const unit = units.find(one => size >= one[1]) || units[3];

		if (!this.trace.hasUnit)
			return String(Math.round(time));
		const digits =
			Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit[1]) - 1e-9)));

		return (time / unit[1]).toFixed(digits) + ' ' + unit[0];
	}

	// Count records for the overview, in parts of the time.
	countDensity() {
		const parts = new Float32Array(PARTS);
		const scale = (PARTS - 1) / Math.max(1, this.trace.end);
		const { call, event } = this.trace;

		for (let i = 0; i < this.trace.nrCalls; i++)
			parts[Math.max(0, Math.floor(call.start.data[i] * scale))]++;
		for (let i = 0; i < this.trace.nrEvents; i++)
			parts[Math.max(0, Math.floor(event.time.data[i] * scale))]++;

		const most = Math.log1p(parts.reduce((a, b) => Math.max(a, b), 1));

		return parts.map(count => Math.log1p(count) / most);
	}

	drawHead(width) {
		const { context, palette } = this;

		context.fillStyle = palette.panel;
		context.fillRect(0, 0, width, HEAD);
		this.drawOverview();
		context.fillStyle = palette.dim;
		context.fillText(
			fit(context, 'all: ' + this.trace.duration(this.trace.end), GUTTER - 12), 6,
			OVERVIEW / 2);
		context.fillText(
			fit(context, 'shown: ' + this.trace.duration(this.end - this.start),
				GUTTER - 12),
			6, OVERVIEW + AXIS / 2);
		this.clip(GUTTER, OVERVIEW, width, HEAD, () => {
			const step = this.step();

			context.fillStyle = palette.dim;
			for (let at = Math.floor(this.start / step); at * step <= this.end; at++) {
				const x = Math.round(this.xOf(at * step));

				context.fillRect(x, OVERVIEW + 4, 1, AXIS);
				context.fillText(
					this.tickText(at * step, step), x + 4, OVERVIEW + AXIS / 2);
			}
			this.drawRange(OVERVIEW, HEAD);
		});
		context.fillStyle = palette.line;
		context.fillRect(0, HEAD - 1, width, 1);
		context.fillRect(GUTTER - 1, 0, 1, this.canvas.clientHeight);
	}

	// In the overview all of the trace has the width.
	overviewX(time) {
		return GUTTER + time / Math.max(1, this.trace.end) * this.width;
	}

	overviewTime(x) {
		return (x - GUTTER) / this.width * this.trace.end;
	}

	drawOverview() {
		const { context, palette, density, matches } = this;
		const part = this.width / density.length;

		context.fillStyle = palette.dim;
		density.forEach((value, i) => context.fillRect(GUTTER + i * part,
					OVERVIEW - 3 - value * (OVERVIEW - 12), part + 0.3,
					value * (OVERVIEW - 12)));
		context.fillStyle = palette.mark;
		for (let i = 0; matches && i < matches.parts.length; i++)
			if (matches.parts[i])
				context.fillRect(GUTTER + i * part, 2, Math.max(1, part), 5);
		context.fillStyle = palette.lost;
		for (const loss of this.trace.losses)
			context.fillRect(this.overviewX(loss.time), 8, 1, OVERVIEW - 11);

		const left = Math.max(GUTTER, this.overviewX(this.start));
		const right = Math.min(GUTTER + this.width, this.overviewX(this.end));

		context.fillStyle = palette.range;
		context.fillRect(left, 1, Math.max(2, right - left), OVERVIEW - 3);
		context.strokeStyle = palette.mark;
		context.lineWidth = 1;
		context.strokeRect(left, 1.5, Math.max(2, right - left - 0.5), OVERVIEW - 3);
	}

	drawScrollBar(width, height) {
		const plot = this.plotHeight;

		if (this.height <= plot)
			return;
		this.context.fillStyle = this.palette.dim;
		this.context.fillRect(width - 5, HEAD + this.top / this.height * plot, 4,
			Math.max(10, plot * plot / this.height));
	}
}
