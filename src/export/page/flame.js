// SPDX-License-Identifier: MIT
// Zoom and search in the flame graph of `ulf export -t svg`.  Each <g> of #boxes has a title, a
// box and a text.
'use strict';
(function () {
	const left = 10, width = 1200, letter = 6.7;
	const about = document.getElementById('about');
	const boxes = Array.from(document.getElementById('boxes').children, group => {
		const box = group.querySelector('rect');
		const title = group.querySelector('title').textContent;

		return {
			group, box, text: group.querySelector('text'), title,
			name: title.slice(0, title.lastIndexOf(': ')),
			x: +box.getAttribute('x'), width: +box.getAttribute('width'),
			y: +box.getAttribute('y'), fill: box.getAttribute('fill'),
		};
	});

	function label(name, pixels) {
		const fits = Math.floor((pixels - 6) / letter);

		if (fits >= name.length)
			return name;
		return fits < 3 ? '' : name.slice(0, fits - 2) + '..';
	}

	// Show @at in the whole width: its callers fill the width, and what is beside it is hidden.
	function zoom(at) {
		const scale = width / at.width;

		for (const one of boxes) {
			const isInside = one.x >= at.x - 0.005 &&
				one.x + one.width <= at.x + at.width + 0.015;
			const isCaller = one.y > at.y && one.x <= at.x + 0.005 &&
				one.x + one.width >= at.x + at.width - 0.015;
			const x = isCaller ? left : left + (one.x - at.x) * scale;
			const pixels = isCaller ? width : one.width * scale;

			one.group.style.display = isCaller || (isInside && one.y <= at.y) ? '' : 'none';
			one.group.style.opacity = isCaller ? 0.5 : 1;
			one.box.setAttribute('x', x);
			one.box.setAttribute('width', pixels);
			one.text.setAttribute('x', x + 3);
			one.text.textContent = label(one.name, pixels);
		}
		about.textContent = at.title;
	}

	function search(what) {
		let found = 0;

		for (const one of boxes) {
			const isFound = what && one.name.includes(what);

			found += isFound ? 1 : 0;
			one.box.setAttribute('fill', isFound ? '#c026d3' : one.fill);
		}
		about.textContent = what ? `${what}: ${found} boxes` : 'click: zoom; ctrl-f: search';
	}

	for (const one of boxes) {
		one.group.style.cursor = 'pointer';
		one.group.addEventListener('click', () => zoom(one));
	}
	window.addEventListener('keydown', event => {
		if (!event.ctrlKey || event.key !== 'f')
			return;
		event.preventDefault();
		search(prompt('Part of a name of a function:') || '');
	});
})();
