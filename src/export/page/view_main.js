// SPDX-License-Identifier: MIT
// The page: keys, the mouse, the search and what is shown of a call or an event.

const byId = id => document.getElementById(id);

// What a search has found.  A text without = matches a part of the names of functions and events
// and of the values of fields; NAME=VALUE matches a field that has this value.  Upper and lower
// case are the same.
class Matches {
	constructor(trace, text) {
		const wanted = text.toLowerCase();
		const has = name => name.toLowerCase().includes(wanted);

		this.trace = trace;
		this.wanted = wanted;
		this.names = new Set();
		this.kinds = new Set();
		trace.names.forEach((name, i) => has(name) && this.names.add(i));
		trace.kinds.forEach(
			(kind, i) => has(kind.system + ':' + kind.name) && this.kinds.add(i));

		const equals = wanted.indexOf('=');
		const name = equals < 0 ? null : wanted.slice(0, equals);
		const value = { text: wanted.slice(equals + 1) };

		value.bytes = new TextEncoder().encode(value.text);
		this.events = new Numbers();
		this.calls = new Numbers();
		for (let i = 0; i < trace.nrCalls; i++)
			if (this.names.has(trace.call.name.data[i]))
				this.calls.push(i);
		for (let i = 0; i < trace.nrEvents; i++)
			if (this.kinds.has(trace.event.kind.data[i]) ||
				trace.hasField(i, value, name))
				this.events.push(i);
		this.join();
		this.addToRows();
	}

	// Sort calls and events by time.  An event is stored as a negative number.
	join() {
		const { call, event } = this.trace;
		const list = new Float64Array(this.calls.length + this.events.length);
		const time = i =>
			list[i] < 0 ? event.time.data[-list[i] - 1] : call.start.data[list[i]];
		let calls = 0, events = 0;

		this.calls.data.subarray(0, this.calls.length)
			.sort((a, b) => call.start.data[a] - call.start.data[b]);
		for (let i = 0; i < list.length; i++) {
			const one = this.calls.data[calls], other = this.events.data[events];

			list[i] = events === this.events.length ||
					(calls < this.calls.length &&
						call.start.data[one] <= event.time.data[other]) ?
				one :
				-other - 1;
			list[i] < 0 ? events++ : calls++;
		}
		this.list = list;
		this.nr = list.length;
		this.timeOf = time;
	}

	item(i) {
		return this.list[i] < 0 ? { event: -this.list[i] - 1 } : { call: this.list[i] };
	}

	// Remember the matches of each row of the timeline, and which parts of the time have some.
	addToRows() {
		const { trace } = this, { call, event } = trace;
		const scale = (PARTS - 1) / Math.max(1, trace.end);

		this.rows = new Map();
		this.parts = new Uint8Array(PARTS);
		for (let i = 0; i < this.nr; i++) {
			const { call: one, event: other } = this.item(i);
			const thread = trace.threads[one !== undefined ? call.thread.data[one] :
				event.thread.data[other]];
			const row = one !== undefined ? trace.rowOf(one) : thread.events;
			let list = this.rows.get(row);

			if (!list)
				this.rows.set(row, list = new Numbers());
			list.push(one !== undefined ? one : other);
			this.parts[Math.max(0, Math.floor(this.timeOf(i) * scale))] = 1;
		}
	}

	// The matches of a row, in the order of time.
	ofRow(row) {
		return this.rows.get(row) || new Numbers();
	}

	position(item) {
		const key = item.call !== undefined ? item.call : -item.event - 1;

		return this.list.indexOf(key);
	}
}

class Page {
	constructor(trace) {
		this.trace = trace;
		this.timeline = new Timeline(trace, document.querySelector('#timeline canvas'));
		this.flame = new Flame(trace, document.querySelector('#flame canvas'));
		this.summary =
			new Summary(trace, document.querySelector('#summary table'), name => {
				this.openTab('timeline');
				byId('search').value = name;
				this.search(name);
				this.step(1);
			});
		this.mouse = { x: GUTTER + 300, y: 0 };
		this.fillHeader();
		this.listen();
		this.openTab('timeline');
		this.showDetails();
	}

	fillHeader() {
		const { trace } = this;
		const names = trace.files.map(path => path.replace(/.*\//, '')).join(', ');

		document.title = names + ' \u2013 ulf view';
		byId('about').textContent =
			`${names}: ${trace.nrRecords} records, ${trace.nrCalls} calls, ` +
			`${trace.nrEvents} events` +
			(trace.nrLost ? `, ${trace.nrLost} lost` : '') +
			(trace.clock ? `; clock ${trace.clock}` : '');
		byId('about').title = byId('about').textContent;
		byId('thread').append(new Option('all', -1),
			...trace.threads.map(thread => new Option(thread.label, thread.number)));
	}

	// ---- what is drawn ----

	// Draw before the browser draws, once for all changes.
	update() {
		if (this.isDue)
			return;
		this.isDue = true;
		requestAnimationFrame(() => {
			this.isDue = false;
			this.draw();
		});
	}

	draw() {
		const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
		const [start, end] = this.rangeOfSums();

		if (!this.palette || this.palette.isDark !== isDark)
			this.palette = new Palette(isDark);
		byId('range').textContent = (this.timeline.range ? 'range ' : 'shown ') +
			this.trace.duration(end - start);
		if (this.tab === 'timeline')
			this.timeline.draw(this.palette);
		if (this.tab === 'flame') {
			this.flame.use(start, end, +byId('thread').value);
			this.flame.draw(this.palette);
		}
		if (this.tab === 'summary')
			this.summary.use(start, end, +byId('thread').value);
	}

	// The flame graph and the summary are about the range, or what the timeline shows.
	rangeOfSums() {
		return this.timeline.range || [
			Math.max(0, this.timeline.start),
			Math.min(this.trace.end, this.timeline.end)
		];
	}

	openTab(name) {
		this.tab = name;
		for (const button of document.querySelectorAll('nav button'))
			button.classList.toggle('on', button.dataset.tab === name);
		for (const section of document.querySelectorAll('section'))
			section.classList.toggle('on', section.id === name);
		byId('choice').style.visibility = name === 'timeline' ? 'hidden' : '';
		this.hideTip();
		this.update();
	}

	// ---- details ----

	showDetails() {
		const item = this.timeline.selected, parts = [];

		if (!item)
			parts.push(paragraph(
				'Click on a call or an event to see it here.  Keys: w a s d zoom ' +
				'and move, / searches, ? lists all.'));
		else if (item.run !== undefined)
			parts.push(table(item.thread.label, this.runRows(item)));
		else if (item.call !== undefined)
			parts.push(table(this.trace.names[this.trace.call.name.data[item.call]],
				this.callRows(item.call)),
				table('Arguments', this.argRows(item.call)),
				table('Callers', this.callerRows(item.call)));
		else
			parts.push(table(this.kindOf(item.event).system + ':' +
				this.kindOf(item.event).name,
				this.placeRows(item)),
				table('Fields',
					this.trace.fields(item.event)
						.map(field => [field.name, field.text])));
		byId('details').classList.toggle('on', Boolean(item));
		byId('details').replaceChildren(...parts.filter(part => part));
		this.update();
	}

	kindOf(event) {
		return this.trace.kinds[this.trace.event.kind.data[event]];
	}

	placeRows(item) {
		const thread = this.timeline.threadOf(item), [start] = this.timeline.timesOf(item);
		const cpus = item.call !== undefined ? this.trace.call.cpu : this.trace.event.cpu;

		return [
			['thread', thread.label],
			['process', thread.process + ' ' + thread.tgid],
			[
				'CPU',
				String(cpus.data[item.call !== undefined ? item.call : item.event])
			],
			['time', this.trace.absolute(start)],
			['from start', this.trace.duration(start)],
		];
	}

	runRows(run) {
		return [
			['CPU', String(run.cpu)],
			['time', this.trace.absolute(run.start)],
			['first to last record', this.trace.duration(run.end - run.start)],
		];
	}

	callRows(call) {
		const { start, end, returned } = this.trace.call;
		const rows = this.placeRows({ call });

		rows.unshift(
			[
				'duration',
				this.trace.duration(end.data[call] - start.data[call]) +
					(returned.data[call] ? '' : ' (no record of its end)')
			],
			['self', this.trace.duration(this.trace.selfTime(call))]);
		return rows;
	}

	argRows(call) {
		const rows = this.trace.args(call).map((value, i) => ['arg' + (i + 1), value]);
		const value = this.trace.returnValue(call);

		return value === null ? rows : [...rows, ['returns', value]];
	}

	callerRows(call) {
		const { parent, name } = this.trace.call, rows = [];

		for (let at = parent.data[call]; at >= 0 && rows.length < 100; at = parent.data[at])
			rows.push([String(rows.length + 1), this.trace.names[name.data[at]]]);
		return rows;
	}

	showTip(x, y, text) {
		const tip = byId('tip');
		const box = document.querySelector('main').getBoundingClientRect();

		tip.textContent = text;
		tip.style.display = 'block';
		tip.style.left =
			Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth - 4)) + 'px';
		const isLow = y + 18 + tip.offsetHeight > box.height;

		tip.style.top = (isLow ? y - 10 - tip.offsetHeight : y + 18) + 'px';
	}

	hideTip() {
		byId('tip').style.display = 'none';
	}

	tipOf(item) {
		const { call, names } = { call: this.trace.call, names: this.trace.names };

		if (item.run !== undefined)
			return `${item.thread.label}\n${
				this.trace.duration(item.end - item.start)} on CPU ${item.cpu}`;
		if (item.event !== undefined)
			return this.kindOf(item.event).name + '\n' +
				this.trace.fields(item.event)
					.slice(0, 8)
					.map(field => `${field.name}=${field.text.slice(0, 80)}`)
					.join('\n');
		return `${names[call.name.data[item.call]]}\n` +
			this.trace.duration(call.end.data[item.call] - call.start.data[item.call]);
	}

	// ---- search ----

	search(text) {
		this.matches = text ? new Matches(this.trace, text) : null;
		this.timeline.matches = this.flame.matches = this.matches;
		byId('search').classList.toggle(
			'wrong', Boolean(text) && !this.matches.nr && !this.matches.names.size);
		this.showFound();
		this.update();
	}

	showFound() {
		const { matches } = this, { selected } = this.timeline;
		const at = matches && selected && selected.run === undefined ?
			matches.position(selected) :
			-1;

		byId('found').textContent = !matches ? '' :
			at < 0 ? `${matches.nr} found` :
				`${at + 1} of ${matches.nr}`;
	}

	// Go to a match: the next one, or the previous one, of what is shown.
	step(step) {
		const { matches, timeline } = this;
		let at = -1;

		this.openTab('timeline');
		if (!matches || !matches.nr)
			return;
		if (timeline.selected && timeline.selected.run === undefined)
			at = matches.position(timeline.selected);
		if (at < 0) {
			const time = timeline.selected && timeline.selected.run === undefined ?
				timeline.timesOf(timeline.selected)[0] :
				Math.max(0, timeline.start);

			at = 0;
			while (at < matches.nr && matches.timeOf(at) < time)
				at++;
			at -= step > 0 ? 1 : 0;
		}
		at = (at + step + matches.nr) % matches.nr;
		timeline.reveal(matches.item(at));
		this.showDetails();
		this.showFound();
	}

	// ---- keys ----

	select(item) {
		if (!item)
			return;
		this.timeline.reveal(item);
		this.showDetails();
		this.showFound();
	}

	escape() {
		const { timeline } = this;

		if (document.activeElement === byId('search'))
			byId('search').blur();
		if (byId('search').value) {
			byId('search').value = '';
			this.search('');
		} else if (timeline.range) {
			timeline.range = null;
		} else {
			timeline.select(null);
			this.showDetails();
		}
		this.update();
	}

	onKey(event) {
		const { timeline } = this, at = this.mouse.x, item = timeline.selected;
		const isItem = item && item.run === undefined;
		const always = {
			n: () => this.step(1),
			p: () => this.step(-1),
			N: () => this.step(-1),
			1: () => this.openTab('timeline'),
			2: () => this.openTab('flame'),
			3: () => this.openTab('summary'),
			ArrowUp: () => this.scroll(-60),
			ArrowDown: () => this.scroll(60),
			PageUp: () => this.scroll(-400),
			PageDown: () => this.scroll(400),
			'/': () => byId('search').select(),
			'?': () => byId('keys').showModal(),
			Escape: () => this.escape(),
		};
		const keys = this.tab !== 'timeline' ? always : {
			...always,
			w: () => timeline.zoom(0.7, at),
			s: () => timeline.zoom(1 / 0.7, at),
			'+': () => timeline.zoom(0.7, at),
			'=': () => timeline.zoom(0.7, at),
			'-': () => timeline.zoom(1 / 0.7, at),
			a: () => timeline.move(-0.15),
			d: () => timeline.move(0.15),
			ArrowLeft: () => timeline.move(-0.15),
			ArrowRight: () => timeline.move(0.15),
			0: () => timeline.showAll(),
			Home: () => timeline.showAll(),
			f: () => isItem && timeline.zoomTo(item),
			']': () => isItem && this.select(timeline.neighbour(item, 1)),
			'[': () => isItem && this.select(timeline.neighbour(item, -1)),
			u: () => isItem && this.select(timeline.caller(item)),
		};

		if (byId('keys').open && event.key === 'Escape')
			byId('keys').close();
		if (event.ctrlKey || event.altKey || event.metaKey || byId('keys').open)
			return;
		if (event.target.matches('input, select') && event.key !== 'Escape')
			return;
		if (!Object.hasOwn(keys, event.key) ||
			(this.tab === 'summary' && /^(Arrow|Page)/.test(event.key)))
			return;
		event.preventDefault();
		keys[event.key]();
		this.update();
	}

	scroll(pixels) {
		(this.tab === 'flame' ? this.flame : this.timeline).scroll(pixels);
	}

	// ---- mouse ----

	listen() {
		const search = byId('search');
		let due = 0;

		document.addEventListener('keydown', event => this.onKey(event));
		window.addEventListener('resize', () => this.update());
		matchMedia('(prefers-color-scheme: dark)')
			.addEventListener('change', () => this.update());
		for (const button of document.querySelectorAll('nav button'))
			button.onclick = () => this.openTab(button.dataset.tab);
		byId('thread').onchange = () => this.update();
		byId('next').onclick = () => this.step(1);
		byId('previous').onclick = () => this.step(-1);
		byId('help').onclick = () => byId('keys').showModal();
		search.oninput = () => {
			clearTimeout(due);
			due = setTimeout(() => this.search(search.value), 150);
		};
		search.onkeydown = event => {
			if (event.key !== 'Enter')
				return;
			clearTimeout(due);
			if (!this.matches || this.matches.wanted !== search.value.toLowerCase())
				this.search(search.value);
			this.step(event.shiftKey ? -1 : 1);
			search.blur();
		};
		this.listenTimeline(this.timeline.canvas);
		this.listenFlame(this.flame.canvas);
	}

	listenTimeline(canvas) {
		canvas.addEventListener('wheel', event => this.onWheel(event), { passive: false });
		canvas.addEventListener('pointerdown', event => this.onDown(event));
		canvas.addEventListener('pointermove', event => this.onMove(event));
		canvas.addEventListener('pointerup', event => this.onUp(event));
		canvas.addEventListener('pointerleave', () => this.hideTip());
		canvas.addEventListener('dblclick', event => {
			const item = this.timeline.find(event.offsetX, event.offsetY);

			if (item && item.run !== undefined)
				this.timeline.show(item.start, item.end);
			else if (item)
				this.timeline.zoomTo(item);
			this.update();
		});
	}

	onWheel(event) {
		const { timeline } = this;
		const unit = event.deltaMode === 1 ? 16 :
			event.deltaMode === 2 ? 400 :
								1;
		const pixels = event.deltaY * unit;

		event.preventDefault();
		this.hideTip();
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			timeline.move((event.deltaX * unit || pixels) / timeline.width);
		else if (event.offsetX < GUTTER)
			timeline.scroll(pixels);
		else
			timeline.zoom(1.0025 ** pixels, event.offsetX);
		this.update();
	}

	onDown(event) {
		const { timeline } = this, x = event.offsetX, y = event.offsetY;

		if (event.button !== 0)
			return;
		this.drag = {
			x,
			y,
			start: timeline.start,
			end: timeline.end,
			top: timeline.top,
			isClick: true
		};
		this.drag.kind = event.shiftKey || (y >= OVERVIEW && y < HEAD) ? 'range' :
			y < OVERVIEW ? 'overview' :
				'move';
		timeline.canvas.setPointerCapture(event.pointerId);
		if (this.drag.kind === 'overview')
			this.dragOverview(x);
		this.hideTip();
	}

	onMove(event) {
		const { timeline, drag } = this, x = event.offsetX, y = event.offsetY;

		this.mouse = { x: Math.max(GUTTER, x), y };
		if (!drag) {
			const item = timeline.find(x, y);

			if (item)
				this.showTip(x, y, this.tipOf(item));
			else
				this.hideTip();
			return;
		}
		if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3)
			drag.isClick = false;
		if (drag.isClick)
			return;
		if (drag.kind === 'range') {
			timeline.range =
				[timeline.timeOf(drag.x), timeline.timeOf(x)]
					.sort((a, b) => a - b)
					.map(time => Math.max(0, Math.min(this.trace.end, time)));
		} else if (drag.kind === 'overview') {
			this.dragOverview(x);
		} else {
			const step = (drag.x - x) / timeline.width * (drag.end - drag.start);

			timeline.show(drag.start + step, drag.end + step);
			timeline.scroll(drag.top + drag.y - y - timeline.top);
		}
		this.update();
	}

	dragOverview(x) {
		const { timeline } = this, middle = timeline.overviewTime(x);
		const length = timeline.end - timeline.start;

		timeline.show(middle - length / 2, middle + length / 2);
		this.update();
	}

	onUp(event) {
		const { timeline, drag } = this, x = event.offsetX, y = event.offsetY;

		this.drag = null;
		if (!drag || !drag.isClick)
			return;
		if (drag.kind === 'range')
			timeline.range = null;
		else if (drag.kind === 'move' && x < GUTTER)
			timeline.toggle(y);
		else if (drag.kind === 'move') {
			timeline.select(timeline.find(x, y));
			this.showDetails();
			this.showFound();
		}
		this.update();
	}

	listenFlame(canvas) {
		const { flame } = this;

		canvas.addEventListener('wheel', event => {
			event.preventDefault();
			flame.scroll(event.deltaY);
			this.update();
		}, { passive: false });
		canvas.addEventListener('pointermove', event => {
			const box = flame.find(event.offsetX, event.offsetY);

			if (box)
				this.showTip(event.offsetX, event.offsetY, flame.text(box));
			else
				this.hideTip();
		});
		canvas.addEventListener('pointerleave', () => this.hideTip());
		canvas.addEventListener('click', event => {
			const box = flame.find(event.offsetX, event.offsetY);

			if (box)
				flame.zoom(box);
			this.update();
		});
	}
}

function paragraph(text) {
	const element = document.createElement('p');

	element.textContent = text;
	return element;
}

// A table of names and values, below a title.  Returns null if it is empty.
function table(title, rows) {
	const part = document.createElement('div'), head = document.createElement('h2');
	const body = document.createElement('table');

	head.textContent = title;
	for (const [name, value] of rows) {
		const row = body.insertRow();

		row.insertCell().textContent = name;
		row.insertCell().textContent = value;
	}
	part.append(head, body);
	return rows.length ? part : null;
}

// Let the browser draw the page before the records are read.
byId('about').textContent = 'reading the records\u2026';
requestAnimationFrame(() => setTimeout(() => {
	const records = byId('records');

	try {
		new Page(new Trace(decodeBase64(records.textContent)));
		records.remove();
		document.documentElement.dataset.state = 'ready';
	} catch (error) {
		byId('about').textContent = 'This page is broken: ' + error.message;
		document.documentElement.dataset.state = 'broken';
		throw error;
	}
}));
