"use strict";
// Search, filters and deep links of the list of clauses. Without scripts the whole list is shown.
const list = document.getElementById("list");
if (list) {
  const fields = ["q", "subject", "strength", "release"].map((id) => document.getElementById(id));
  const [words, subject, strength, release] = fields;
  const rows = [...list.querySelectorAll("li")];
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits =
        wanted.every((word) => row.dataset.text.includes(word)) &&
        (!subject.value || row.dataset.subject === subject.value) &&
        (!strength.value || row.dataset.strength === strength.value) &&
        (!release.value || row.dataset.releases.split(" ").includes(release.value));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const section of list.querySelectorAll("section")) {
      section.hidden = !section.querySelector("li:not([hidden])");
    }
    document.getElementById("count").textContent =
      shown === 1 ? "1 clause" : `${shown} clauses`;
  };
  const open = () => {
    const name = decodeURIComponent(location.hash.slice(1)).toLowerCase();
    const row = name && rows.find((one) => one.dataset.names.split(" ").includes(name));
    if (row) location.replace(row.querySelector("a").href);
  };
  const asked = new URLSearchParams(location.search);
  for (const field of fields) {
    if (asked.get(field.id)) field.value = asked.get(field.id);
    field.addEventListener("input", filter);
  }
  window.addEventListener("hashchange", open);
  open();
  filter();
}
