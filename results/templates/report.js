"use strict";
// Filters, orders and deep links of the clauses. Without scripts the whole page is shown.
const each = (selector, work) => document.querySelectorAll(selector).forEach(work);
const form = document.querySelector("form.filters");
const items = [...document.querySelectorAll(".item")];
const filed = items.filter((item) => item.dataset.text !== undefined);

const reveal = () => {
  let target = null;
  try {
    target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch { return; }
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target.scrollIntoView();
};

if (form) {
  const states = [...document.querySelectorAll("#state option")].map((one) => one.value);
  const fields = ["q", "state", "strength", "order"].map((id) => document.getElementById(id));
  const [words, state, strength, order] = fields;
  const worst = (item) =>
    Math.min(...item.dataset.states.split(" ").map((one) => states.indexOf(one)));
  const orders = {
    worst: (a, b) => worst(a) - worst(b),
    exercised: (a, b) => a.dataset.exercised - b.dataset.exercised,
    differs: (a, b) => ("differs" in b.dataset) - ("differs" in a.dataset) || worst(a) - worst(b),
    clause: () => 0,
  };
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = new Set();
    for (const item of filed) {
      const fits =
        wanted.every((word) => item.dataset.text.includes(word)) &&
        (!state.value || item.dataset.states.split(" ").includes(state.value)) &&
        (!strength.value || item.dataset.strength === strength.value);
      if (fits) fitting.add(item.dataset.clause);
    }
    for (const item of items) item.hidden = !fitting.has(item.dataset.clause);
    document.getElementById("count").textContent =
      `${fitting.size} of ${filed.length} clauses`;
    const sorted = [...filed].sort(orders[order.value] || orders.clause);
    if (filed.length) filed[0].parentElement.append(...sorted);
    const asked = new URLSearchParams();
    for (const field of fields) if (field.value && field.value !== "clause") asked.set(field.id, field.value);
    try {
      history.replaceState(null, "", `${asked.size ? `?${asked}` : location.pathname}${location.hash}`);
    } catch { /* a page that may not change its address */ }
  };
  const asked = new URLSearchParams(location.search);
  for (const field of fields) {
    if (asked.has(field.id)) field.value = asked.get(field.id);
    if (field.selectedIndex === -1) field.selectedIndex = 0;
    field.addEventListener("input", filter);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}

each("table.sortable thead button", (button) => {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const column = [...head.parentElement.children].indexOf(head);
    const down = head.getAttribute("aria-sort") !== (column < 2 ? "ascending" : "descending");
    const way = (column < 2) === down ? 1 : -1;
    each("table.sortable th[aria-sort]", (one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
    const body = head.closest("table").tBodies[0];
    const value = (row) => {
      const cell = row.children[column];
      return cell && cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell ? cell.textContent : "";
    };
    const compare = (a, b) => {
      const [one, other] = [value(a), value(b)];
      return typeof one === "number" && typeof other === "number"
        ? one - other
        : typeof one === typeof other ? String(one).localeCompare(String(other))
        : typeof one === "number" ? 1 : -1;
    };
    body.append(...[...body.rows].sort((a, b) => way * compare(a, b)));
  });
});

const closed = [];
window.addEventListener("beforeprint", () => each("details:is(.kind, .part):not([open])", (one) => {
  one.open = true;
  closed.push(one);
}));
window.addEventListener("afterprint", () => closed.splice(0).forEach((one) => { one.open = false; }));
window.addEventListener("hashchange", reveal);
reveal();
