// Tables whose rows can be put in the order of a column: the button of a head sorts upwards, then downwards.

function keyOf(row, column) {
	const text = row.cells[column].textContent.trim(), number = Number(text.replace("\u2212", "-").replace("%", ""));
	return { text, number: text === "" || text === "\u2013" ? NaN : number };
}

// Numbers before texts, what is not there last.
function inOrder(a, b) {
	const numeric = [a, b].map(k => !Number.isNaN(k.number)), empty = [a, b].map(k => k.text === "" || k.text === "\u2013");
	if (empty[0] !== empty[1])
		return empty[0] ? 1 : -1;
	if (numeric[0] !== numeric[1])
		return numeric[0] ? -1 : 1;
	return numeric[0] ? a.number - b.number : a.text.localeCompare(b.text);
}

function sortBy(table, column) {
	const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], head = heads[column], up = head.ariaSort !== "ascending";
	const rows = [...body.rows].map(row => ({ row, key: keyOf(row, column) }));
	const isEmpty = ({ key }) => key.text === "" || key.text === "\u2013";
	rows.sort((a, b) => isEmpty(a) || isEmpty(b) ? inOrder(a.key, b.key) : (up ? 1 : -1) * inOrder(a.key, b.key));
	heads.forEach(other => other.removeAttribute("aria-sort"));
	head.setAttribute("aria-sort", up ? "ascending" : "descending");
	body.replaceChildren(...rows.map(r => r.row));
}

for (const table of document.querySelectorAll("table.sorted"))
	[...table.tHead.rows[0].cells].forEach((head, column) => {
		const button = el("button", { type: "button", textContent: head.textContent, title: "sort by this column" });
		button.addEventListener("click", () => sortBy(table, column));
		head.replaceChildren(button);
	});
