// The page: head, theme, sections.

const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

function setTheme(dark) {
  root.dataset.theme = dark ? "dark" : "light";
  const button = document.getElementById("theme");
  button.textContent = dark ? "Light" : "Dark";
  button.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
}

setTheme(prefersDark.matches);
prefersDark.addEventListener("change", event => setTheme(event.matches));
document.getElementById("theme").addEventListener("click", () => setTheme(root.dataset.theme !== "dark"));

document.getElementById("title").textContent = document.title;
document.getElementById("subtitle").textContent = data.run
  ? "Semi-supervised node classification: what was learned, how good it is, and why" : "Methods compared over repeated runs";

if (data.run) runSections(data.run);
else data.results.forEach(resultSection);
document.body.dataset.ready = "yes";
