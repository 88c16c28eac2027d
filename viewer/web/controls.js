// Buttons, pointer and keys.

// An element with properties and children; texts never become markup.
function el(tag, properties, ...children) {
	const element = document.createElement(tag), { dataset, ...rest } = properties || {};
	Object.assign(element, rest);
	Object.assign(element.dataset, dataset);
	element.append(...children.filter(c => c !== null && c !== undefined));
	return element;
}

// A text whose long words, such as settings and paths, may go on in the next line behind a comma, colon, semicolon or slash.
function breakable(text) {
	return text.split(/(?<=[,:;/])(?! |$)/).flatMap((part, k) => k ? [el("wbr"), part] : [part]);
}

function choice(label, names, value, chosen) {
	const select = el("select", {}, ...names.map(name => el("option", { value: name, textContent: name })));
	select.value = value;
	select.addEventListener("change", () => chosen(select.value));
	return [el("label", {}, `${label} `, select), select];
}

function numberField(label, chosen) {
	const input = el("input", { type: "number", step: "any", className: "number" });
	input.addEventListener("change", () => chosen(Number(input.value)));
	return [el("label", {}, `${label} `, input), input];
}

// Name, key and effect of dragging.
const TOOLS = {
	point: ["Point", "p", "Move the point and the other planes"],
	pan: ["Pan", "m", "Move the zoomed image"],
	window: ["Window", "w", "Set the window: left and right the width, up and down the level"],
	line: ["Profile", "l", "Measure values along a line"],
	region: ["Region", "r", "Measure mean and noise in a rectangle"],
	ellipse: ["Ellipse", "e", "Measure mean and noise in an ellipse"],
};

const KEYS = "Arrows move the point in the picture that has the focus. Page Up and Page Down, [ and ], or the wheel go through its slices. " +
	"Ctrl and the wheel, two fingers, or + and - zoom. Shift and arrows, the middle button, or two fingers pan. 0 fits all pictures. " +
	"P, M, W, L, R, E choose the tool (point, pan, window, profile, region, ellipse). The right button always sets the window: left and right its width, " +
	"up and down its level. 1 to 6 are the windows in their order. Enter or a double click enlarges a picture, Space plays, Escape removes a measurement.";

function buildControls(viewer) {
	const { state } = viewer, bar = el("div", { className: "bar", role: "toolbar", ariaLabel: "window, tools and layout" });
	viewer.tools = {};
	const tools = el("span", { className: "group", role: "group", ariaLabel: "tool" });
	const live = viewer.items.some(item => item.live);
	for (const [tool, [text, key, effect]] of Object.entries(TOOLS).filter(([tool]) => tool !== "point" || !live)) {
		const button = el("button", { type: "button", textContent: text, title: `${effect} (${key.toUpperCase()})` });
		button.addEventListener("click", () => chooseTool(viewer, tool));
		viewer.tools[tool] = button;
		tools.append(button);
	}
	bar.append(tools, zoomControls(viewer), windowControls(viewer), lookControls(viewer));
	const play = el("button", { type: "button", textContent: "Play", title: "Run through the slices (Space)" });
	play.addEventListener("click", () => viewer.play(!state.playing));
	viewer.playButton = play;
	if (!live && viewer.items.some(item => item.n[2] > 1))
		bar.append(play);
	viewer.grid = el("div", { className: "grid" });
	viewer.readout = el("output", { className: "readout", ariaLive: "polite", ariaLabel: "value under the cursor" });
	viewer.resultText = el("output", { className: "readout", ariaLive: "polite", ariaLabel: "measurement" });
	viewer.curve = el("canvas", { className: "curve", role: "img", ariaLabel: "profile" });
	viewer.result = el("div", { className: "result", hidden: true }, viewer.resultText, viewer.curve);
	viewer.status = el("p", { className: "status" });
	viewer.root.append(bar, viewer.readout, viewer.grid, viewer.result, viewer.status, ...details(viewer));
	viewer.root.addEventListener("keydown", event => pressKey(viewer, event));
}

// Buttons act on the picture that was used last.
function zoomControls(viewer) {
	const group = el("span", { className: "group", role: "group", ariaLabel: "zoom" });
	const button = (text, name, title, act) => {
		const made = el("button", { type: "button", textContent: text, ariaLabel: name, title });
		made.addEventListener("click", act);
		group.append(made);
		return made;
	};
	const last = () => viewer.panes.includes(viewer.lastPane) && viewer.lastPane.canvas.clientWidth ? viewer.lastPane : viewer.panes.find(p => p.canvas.clientWidth);
	button("−", "zoom out", "Zoom out (-, Ctrl and wheel, two fingers)", () => zoomAtCentre(last(), 1 / 1.5));
	button("+", "zoom in", "Zoom in (+, Ctrl and wheel, two fingers)", () => zoomAtCentre(last(), 1.5));
	viewer.fitButton = button("Fit", "fit", "Show the whole images (0)", () => { viewer.zoom.fit(); viewer.refresh(); });
	return group;
}

const PRESET_TITLES = { auto: "0.5 to 99.5 % of the values", full: "Minimum to maximum" };

function windowControls(viewer) {
	const { state } = viewer, names = ["auto", "full", ...(viewer.presets ? Object.keys(PRESETS) : [])];
	const group = el("span", { className: "group", role: "group", ariaLabel: "window" });
	viewer.presetNames = names;
	for (const name of names) {
		const title = PRESET_TITLES[name] || `Level ${PRESETS[name][0]}, width ${PRESETS[name][1]} HU`;
		const button = el("button", { type: "button", textContent: name, dataset: { preset: name }, title: `${title} (${names.indexOf(name) + 1})` });
		button.addEventListener("click", () => viewer.preset(name));
		group.append(button);
	}
	viewer.unitChoice = choice("unit", ["HU", "mm-1"], state.unit, unit => { state.unit = unit; viewer.refresh(); });
	const set = () => {
		const from = v => state.unit === "HU" ? viewer.water * (1 + v / 1000) : v;
		const level = Number(viewer.level.value), width = Number(viewer.width.value);
		viewer.setWindow(from(level - width / 2), from(level + width / 2));
	};
	const [level, levelInput] = numberField("level", set), [width, widthInput] = numberField("width", set);
	Object.assign(viewer, { level: levelInput, width: widthInput });
	group.append(level, width);
	if (viewer.kind === "volume" && viewer.presets)
		group.append(viewer.unitChoice[0]);
	return group;
}

function lookControls(viewer) {
	const { state } = viewer, group = el("span", { className: "group", role: "group", ariaLabel: "look" });
	const set = key => value => { state[key] = value; viewer.refresh(); };
	const check = (label, key) => {
		const box = el("input", { type: "checkbox", checked: state[key] });
		box.addEventListener("change", () => set(key)(box.checked));
		return el("label", {}, box, ` ${label}`);
	};
	group.append(choice("colours", Object.keys(colourMaps), state.colours, set("colours"))[0]);
	const [thick, thickInput] = numberField(viewer.kind === "volume" ? "of mm (0: all)" : "of slices (0: all)", set("thick"));
	thickInput.value = 0;
	thickInput.min = 0;
	thick.hidden = true;
	if (!viewer.flat && !viewer.items.some(item => item.live))
		group.append(choice("show", ["slice", "maximum", "minimum", "mean"], "slice", mode => { thick.hidden = mode === "slice"; set("mode")(mode); })[0], thick);
	group.append(check("smooth", "smooth"), check("cross", "cross"));
	viewer.alikeLine = check("same scale", "alike");
	viewer.alikeLine.addEventListener("change", () => viewer.arrange());
	group.append(viewer.alikeLine);
	const swipe = el("input", { type: "range", min: 0, max: 1, step: 0.005, value: 0.5 });
	swipe.addEventListener("input", () => set("swipe")(+swipe.value));
	viewer.swipeLine = el("label", { hidden: true }, "divider ", swipe);
	viewer.swipeInput = swipe;
	const pair = viewer.items.length > 1 && viewer.kind === "volume", served = viewer.items.some(i => i.served);
	viewer.pairLine = pairChoice(viewer);
	if (pair && (!served || viewer.items.every(item => sameGrid(viewer.items[0], item))))
		group.append(choice("two volumes", ["side by side", "swipe", "difference"], state.layout,
			layout => { state.layout = layout; state.measure = null; viewer.arrange(); })[0], viewer.pairLine, viewer.swipeLine);
	return group;
}

// Of more than two volumes: which are compared.
function pairChoice(viewer) {
	const names = viewer.items.map((item, i) => `${i + 1}: ${item.name}`), { pair } = viewer.state;
	const line = el("span", { className: "group", hidden: true, role: "group", ariaLabel: "the two that are compared" });
	for (const [k, label] of ["first", "second"].entries())
		if (names.length > 2)
			line.append(choice(label, names, names[pair[k]], name => {
				pair[k] = names.indexOf(name);
				viewer.state.measure = null;
				viewer.arrange();
			})[0]);
	return line;
}

function details(viewer) {
	const out = [];
	for (const item of viewer.items) {
		const facts = [...item.facts];
		if (item.served)
			facts.push(["values in this page", "exact"]);
		else if (item.data)
			facts.push(["values in this page", stepText(item)]);
		if (item.missing)
			facts.push(["not a number", `${item.missing} values, drawn in magenta`]);
		const rows = facts.map(([key, value]) => el("tr", {}, el("th", { scope: "row", textContent: key }), el("td", {}, ...breakable(value))));
		out.push(el("details", {}, el("summary", { textContent: `About ${item.name}` }), el("div", { className: "wide", tabIndex: 0 },
			el("table", {}, el("tbody", {}, ...rows)))));
	}
	if (viewer.items[0].scan) {
		viewer.scanCanvas = el("canvas", { className: "scan", role: "img",
			ariaLabel: "The scan: the path of the source, the detector of the view that is shown, and the circle that it measures" });
		const box = el("details", { open: !viewer.items[0].data }, el("summary", { textContent: "Geometry of the scan" }), viewer.scanCanvas);
		box.addEventListener("toggle", () => viewer.refresh());
		out.push(box);
	}
	out.push(el("details", {}, el("summary", { textContent: "Keys and pointer" }), el("p", { textContent: KEYS })));
	return out;
}

function stepText(item) {
	if (item.step === 1)
		return "exact";
	const half = v => (v / 2).toPrecision(2), hu = item.water > 0 ? ` (${half(item.step * 1000 / item.water)} HU)` : "";
	return `in steps of ${item.step.toPrecision(3)}${item.kind !== "volume" || !item.unit ? "" : item.water > 0 || item.unit === "mm-1" ? " mm⁻¹" : ` ${item.unit}`}, right to ${half(item.step)}${hu}`;
}

function chooseTool(viewer, tool) {
	viewer.state.tool = tool;
	viewer.refresh();
}

// What the controls show, after any change.
function showState(viewer) {
	const { state } = viewer, hu = state.unit === "HU", to = v => hu ? 1000 * (v - viewer.water) / viewer.water : v;
	const tidy = v => String(+v.toPrecision(5));
	for (const [tool, button] of Object.entries(viewer.tools))
		button.ariaPressed = String(tool === state.tool);
	viewer.unitChoice[1].value = state.unit;
	viewer.fitButton.disabled = viewer.zoom.fitted;
	viewer.playButton.textContent = state.playing ? "Stop" : "Play";
	for (const [field, value] of [[viewer.level, to((state.low + state.high) / 2)], [viewer.width, to(state.high) - to(state.low)]])
		if (document.activeElement !== field)
			field.value = tidy(value);
	const left = viewer.sources.reduce((sum, s) => sum + (s.left || 0), 0), all = viewer.items.reduce((sum, i) => sum + i.n[2], 0);
	const lost = viewer.sources.some(s => s.lost), gone = left && document.readyState === "complete" && viewer.sources.some(s => s.left && !s.next());
	if (viewer.items.some(item => item.live)) {
		viewer.root.dataset.ready = "true";
		return;
	}
	const stepped = viewer.items.filter(i => i.data && !i.served), coarsest = stepped.reduce((a, b) => a.step > b.step ? a : b, stepped[0]);
	const items = stepped.length > 3 ? stepText(coarsest).replace("steps of", "steps of at most") : stepped.map(i => `${i.name} ${stepText(i)}`).join("; ");
	const text = lost ? "The server has ended: 'gantry view --serve' starts it again." :
		gone ? `The page is cut off: ${left} of ${all} slices are missing. What is drawn of them is coarse.` :
		left ? `Reading: ${all - left} of ${all} slices` : items ? `Values on this page: ${items}.` : "Values are exact.";
	if (viewer.status.textContent !== text)
		viewer.status.textContent = text;
	viewer.root.dataset.ready = String(!left);
}

// Pointer ---------------------------------------------------------------------

function listenToPane(pane) {
	const { canvas, viewer } = pane;
	const pinch = new Pinch(pane);
	let drag = null;
	canvas.addEventListener("pointerdown", event => {
		canvas.focus({ preventScroll: true });
		canvas.setPointerCapture(event.pointerId);
		pinch.down(event);
		if (pinch.active && drag)
			viewer.state.measure = drag.measure;
		drag = pinch.active ? null : startDrag(pane, event);
		if (drag)
			moveDrag(pane, drag, event);
		event.preventDefault();
	});
	canvas.addEventListener("pointermove", event => {
		if (pinch.move(event))
			return;
		const { offsetX: x, offsetY: y } = event, voxel = pane.voxelAt(x, y);
		viewer.hover = voxel ? { pane, voxel } : null;
		if (drag)
			moveDrag(pane, drag, event);
		viewer.refresh();
	});
	for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
		canvas.addEventListener(end, event => { drag = null; pinch.up(event); });
	canvas.addEventListener("pointerleave", () => { viewer.hover = null; viewer.refresh(); });
	canvas.addEventListener("contextmenu", event => event.preventDefault());
	canvas.addEventListener("dblclick", () => enlarge(pane));
	let wheel = 0;
	canvas.addEventListener("wheel", event => {
		event.preventDefault();
		if (event.ctrlKey || event.metaKey) {
			viewer.lastPane = pane;
			zoomByWheel(pane, event);
			return;
		}
		wheel += event.deltaY / (event.deltaMode ? 1 : 40);
		const steps = Math.trunc(wheel);
		wheel -= steps;
		if (steps)
			viewer.setIndex(pane.source.item, pane.axis, pane.index - Math.max(-8, Math.min(8, steps)));
	}, { passive: false });
}

function startDrag(pane, event) {
	const { viewer } = pane, { state } = viewer, tool = event.button === 2 ? "window" : event.button === 1 ? "pan" : state.tool;
	const drag = { tool, x: event.offsetX, y: event.offsetY, low: state.low, high: state.high, measure: state.measure };
	const near = pane.second && Math.abs(event.offsetX - pane.visible().x - pane.visible().w * state.swipe) < 12;
	viewer.lastPane = pane;
	if (near && tool === "point")
		drag.tool = "swipe";
	if (["line", "region", "ellipse"].includes(tool)) {
		const at = toPlace(pane.source.item, pane.axis, pane.indexAt(drag.x, drag.y));
		state.measure = { kind: tool, axis: pane.axis, a: at, b: at };
	}
	return drag;
}

function moveDrag(pane, drag, event) {
	const { viewer } = pane, { state } = viewer, { item } = pane.source, x = event.offsetX, y = event.offsetY;
	if (drag.tool === "point") {
		const [right, up] = AXES[pane.axis], place = pane.indexAt(x, y), at = [0, 0, 0];
		[0, 1, 2].forEach(a => { at[a] = viewer.indexOf(item, a); });
		[right, up].forEach((a, k) => { at[a] = Math.min(Math.max(Math.round(place[k]), 0), item.n[a] - 1); });
		viewer.setAt(item, at);
	} else if (drag.tool === "window") {
		const width = (drag.high - drag.low) * Math.exp((x - drag.x) / 150), level = (drag.low + drag.high) / 2 + (y - drag.y) / 300 * (drag.high - drag.low);
		viewer.setWindow(level - width / 2, level + width / 2);
	} else if (drag.tool === "swipe") {
		const p = pane.visible();
		state.swipe = Math.min(Math.max((x - p.x) / p.w, 0), 1);
		viewer.swipeInput.value = state.swipe;
		viewer.refresh();
	} else if (drag.tool === "pan") {
		panBy(pane, x - drag.x, y - drag.y);
		Object.assign(drag, { x, y });
	} else {
		state.measure.b = toPlace(item, pane.axis, pane.indexAt(x, y));
		viewer.refresh();
	}
}

// Of volumes beside each other the same plane of all of them.
function enlarge(pane) {
	const { viewer } = pane, large = !pane.figure.classList.contains("large"), beside = viewer.grid.classList.contains("beside");
	viewer.grid.classList.toggle("one", large);
	viewer.panes.forEach(p => p.figure.classList.toggle("large", large && (p === pane || beside && p.axis === pane.axis)));
	viewer.refresh();
}

// Keys ------------------------------------------------------------------------

function pressKey(viewer, event) {
	const pane = viewer.panes.find(p => p.canvas === event.target), key = event.key;
	if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName))
		return;
	const tool = Object.keys(TOOLS).find(t => TOOLS[t][1] === key.toLowerCase()), preset = viewer.presetNames[+key - 1];
	if (tool)
		chooseTool(viewer, tool);
	else if (preset)
		viewer.preset(preset);
	else if (key === " ")
		viewer.play(!viewer.state.playing);
	else if (key === "Escape")
		viewer.state.measure = null;
	else if (!zoomByKey(viewer, pane, event) && (!pane || !moveByKey(viewer, pane, key)))
		return;
	viewer.refresh();
	event.preventDefault();
}

function moveByKey(viewer, pane, key) {
	const [right, up] = AXES[pane.axis], { item } = pane.source, upwards = pane.place().flip ? 1 : -1;
	const steps = { ArrowLeft: [right, -1], ArrowRight: [right, 1], ArrowUp: [up, upwards], ArrowDown: [up, -upwards], PageUp: [pane.axis, 1],
		PageDown: [pane.axis, -1], "]": [pane.axis, 1], "[": [pane.axis, -1] };
	if (key === "Enter")
		enlarge(pane);
	else if (steps[key])
		viewer.setIndex(item, steps[key][0], viewer.indexOf(item, steps[key][0]) + steps[key][1]);
	else
		return false;
	return true;
}
