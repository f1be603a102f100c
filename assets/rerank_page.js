// A ranking as a file: the slope chart, and the document that is chosen in it.
const ranking = JSON.parse(document.getElementById("view").textContent);
const opened = [...document.querySelectorAll("main [data-document]:not(button)")];

function openDocument(id) {
  opened.forEach((part) => { part.hidden = part.dataset.document !== id; });
}

if (ranking && document.getElementById("slope")) {
  drawSlope(document.getElementById("slope"), ranking, openDocument);
  openDocument(ranking.selected);
}
