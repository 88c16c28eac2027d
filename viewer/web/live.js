// A reconstruction that goes on: what is being done, a bar, the last slices, the curves. It asks once a second, less often when nobody looks; a request
// for the end stays open all the while, so that the end is shown at once, whatever the browser does with the page's clock.

class LiveSource extends Source {
	constructor(item) {
		super(item);
		this.planes = [null, null, null];
	}

	get complete() { return true; }

	async load() {}

	plane(axis) { return this.planes[axis]; }

	value(...at) {
		for (let axis = 0; axis < 3; axis++) {
			const plane = this.planes[axis], [right, up] = AXES[axis];
			if (plane && at[axis] === this.item.index[axis])
				return valueIn(plane, at[up] * plane.w + at[right]);
		}
		return null;
	}

	async take() {
		const { n } = this.item;
		this.planes = await Promise.all(AXES.map(async ([right, up], axis) => {
			const data = new Float32Array(await (await ask(`slice/${axis}`)).arrayBuffer());
			return { w: n[right], h: n[up], data, scale: 1, offset: 0, missing: NaN };
		}));
	}
}

async function ask(path) {
	const reply = await fetch(path);
	if (!reply.ok)
		throw new Error(reply.status);
	return reply;
}

// Half a per cent of the values at either end is left out.
function usualWindow(planes) {
	const some = planes.flatMap(plane => {
		const step = Math.ceil(plane.data.length / 20000);
		return Array.from({ length: Math.floor(plane.data.length / step) }, (_, i) => plane.data[i * step]);
	}).filter(Number.isFinite).sort((a, b) => a - b);
	const low = some[Math.floor(0.005 * some.length)] || 0, high = some[Math.floor(0.995 * (some.length - 1))] || 0;
	return [low, high > low ? high : low + Math.max(1e-6, Math.abs(low))];
}

// Values over the iterations, straight between those that are known.
function joined(points, which) {
	const known = points.filter(p => p[which] !== null), out = [];
	known.forEach((p, k) => {
		const before = known[k - 1];
		for (let i = before ? before[0] + 1 : p[0]; i <= p[0]; i++)
			out[i] = before ? before[which] + (i - before[0]) / (p[0] - before[0]) * (p[which] - before[which]) : p[which];
	});
	return Array.from(out, v => v === undefined ? NaN : v);
}

// Whether a logarithmic axis shows more: all values are positive, and the greatest is ten times the least.
function spansDecades(points, which) {
	const [low, high] = extremes(points.map(p => p[which]).filter(v => v !== null));
	return low > 0 && high > 10 * low;
}

function duration(seconds) {
	const s = Math.round(seconds);
	return s < 100 ? `${s} s` : s < 6000 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
}

class LivePage {
	constructor(root) {
		this.root = root;
		this.points = [];
		this.version = 0;
		this.viewer = null;
		this.state = el("p", { className: "state", textContent: "waiting for the reconstruction" });
		this.state.setAttribute("role", "status");
		this.bar = el("progress", { max: 1, value: 0, ariaLabel: "part of the iterations that is done" });
		this.numbers = el("p", { className: "readout" });
		this.pictures = el("div", { className: "group-viewer" });
		this.curves = [["Cost", 1], ["Change of the volume in an iteration, HU", 2]].map(([title, which]) => {
			const canvas = el("canvas", { className: "curve", role: "img", ariaLabel: title }), heading = el("h2", { textContent: title });
			return { title, which, canvas, heading, box: el("section", { hidden: true }, heading, canvas) };
		});
		root.append(this.state, this.bar, this.numbers, this.pictures, ...this.curves.map(c => c.box));
		new ResizeObserver(() => this.draw()).observe(root);
	}

	say(text) {
		if (this.state.textContent !== text)
			this.state.textContent = text;
	}

	// Until it has ended or the command is gone.
	async run() {
		this.awaitEnd();
		for (let lost = 0; !this.over;) {
			try {
				const state = await (await ask(`state/${this.points.length}`)).json();
				lost = 0;
				if (state.ending !== null)
					await this.end(state);
				else if (!this.over)
					await this.show(state);
			} catch (error) {
				if (++lost > 3 && !this.over) {
					this.over = this.ended = true;
					this.say("The command has ended, or cannot be reached.");
				}
			}
			await pause(document.hidden ? 3000 : 1000);
		}
	}

	async awaitEnd() {
		while (!this.over)
			try {
				await this.end(await (await ask("end")).json());
				await ask("seen");
			} catch (error) {
				await pause(1000);
			}
	}

	// The last slices may be out of reach: how it ended is shown all the same.
	end(state) {
		this.over = true;
		return this.shown ??= this.show(state).catch(() => {}).then(() => this.ended = true);
	}

	async show(state) {
		this.points.push(...state.points.slice(this.points.length - state.from));
		this.say(state.ending !== null ? state.ending : state.text !== null ? state.text : "starting");
		this.bar.value = state.iterations ? state.iteration / state.iterations : state.done || 0;
		const lines = [];
		if (state.iterations)
			lines.push(`iteration ${state.iteration} of ${state.iterations}`, `${duration(state.seconds || 0)} gone`);
		if (state.left !== null && state.ending === null)
			lines.push(`at most about ${duration(state.left)} left`);
		const last = this.points[this.points.length - 1], cost = this.points.filter(p => p[1] !== null).pop();
		if (cost)
			lines.push(`cost ${cost[1].toPrecision(6)}`);
		if (last && last[2] !== null)
			lines.push(`change ${last[2].toPrecision(3)} HU`);
		this.numbers.textContent = lines.join(" · ");
		this.draw();
		if (state.slices && state.slices.version !== this.version)
			await this.showSlices(state.slices);
	}

	async showSlices(slices) {
		if (!this.viewer)
			this.viewer = new Viewer(this.pictures, [{ id: 0, kind: "volume", name: "volume", live: true, data: true, served: true, missing: 0, facts: [],
				unit: slices.water > 0 ? "HU" : "mm-1", window: [0, 1], range: [0, 1], shown: slices.pitch, ...slices }]);
		const { viewer } = this, [source] = viewer.sources, { state } = viewer, { item } = source;
		await source.take();
		item.window = usualWindow(source.planes);
		item.range = source.planes.reduce(([low, high], { data }) => data.reduce(([l, h], v) => [v < l ? v : l, v > h ? v : h], [low, high]), [Infinity, -Infinity]);
		if (!this.version || (state.low === this.low && state.high === this.high)) {
			[this.low, this.high] = item.window;
			Object.assign(state, { low: this.low, high: this.high });
		}
		this.version = slices.version;
		viewer.grid.querySelector("h3").textContent = `Middle slices after iteration ${slices.iteration}`;
		viewer.refresh();
	}

	draw() {
		for (const { title, which, canvas, heading, box } of this.curves) {
			const log = spansDecades(this.points, which), values = joined(this.points, which).map(v => log ? Math.log10(v) : v), known = values.filter(Number.isFinite);
			heading.textContent = log ? `${title} (logarithmic)` : title;
			box.hidden = known.length < 2;
			if (box.hidden)
				continue;
			drawCurves(canvas, [{ values }], values.length - 1, "", log);
			const shown = v => (log ? 10 ** v : v).toPrecision(4);
			canvas.ariaLabel = `${title}, over ${values.length - 1} iterations: from ${shown(known[0])} to ${shown(known[known.length - 1])}`;
		}
	}
}

for (const section of document.querySelectorAll("section.live")) {
	const page = new LivePage(section);
	Object.assign(window, { gantryLive: page, gantryAxes: { roundTicks, decadeTicks, tickText, spansDecades } });
	page.run();
}
