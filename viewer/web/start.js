// A viewer for the volumes of each section, and one for each of its projections.

function prepare(item) {
	item.shown = item.pitch;
	if (item.kind === "projections") {
		item.first = [0, 0, 0];
		item.pitch = [1, 1, 1];
	}
	return item;
}

const viewers = [];

const able = typeof DecompressionStream === "function";
if (!able)
	document.querySelector("main").prepend(el("p", { textContent: "The pictures need a browser of 2023 or later (DecompressionStream)." }));

for (const section of able ? document.querySelectorAll("section.viewer") : []) {
	const items = JSON.parse(section.querySelector(".viewer-data").textContent).map(prepare), volumes = items.filter(i => i.kind === "volume");
	const groups = [volumes, ...items.filter(i => i.kind === "projections").map(i => [i])].filter(g => g.length);
	for (const group of groups) {
		const root = el("div", { className: "group-viewer" });
		section.append(root);
		if (group[0].data) {
			const viewer = new Viewer(root, group);
			viewer.boxes = volumes;
			viewers.push(viewer);
		} else {
			const state = { items: group, root, refresh: () => drawScan(state.scanCanvas, group[0].scan, 0, volumes) };
			root.append(el("h3", { textContent: group[0].name }), ...details(state).slice(0, -1));
			new ResizeObserver(state.refresh).observe(root);
		}
	}
}

window.gantryViewers = viewers;
