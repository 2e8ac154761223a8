// Finds parts of pages by their words: all of them must be there, the last one may be begun. Arrow keys choose, Enter opens.
const input = document.getElementById('search');
const list = document.getElementById('found');
const MOST = 12;
let chosen = -1;

input.addEventListener('input', () => show(find(input.value)));
input.addEventListener('keydown', (event) => {
  const rows = [...list.children];
  if (event.key === 'Escape') show([]);
  else if (event.key === 'Enter') (rows[chosen] ?? rows[0])?.firstChild.click();
  else if (event.key === 'ArrowDown') choose(Math.min(chosen + 1, rows.length - 1));
  else if (event.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
  else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return;
  event.preventDefault();
  input.focus();
});
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('.menu').open = false;

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const points = ({ title, text: body }) => {
    let sum = 0;
    for (const word of words) {
      const inTitle = title.toLowerCase().includes(word);
      if (!inTitle && !body.toLowerCase().includes(word)) return 0;
      sum += inTitle ? 10 : 1;
    }
    return sum;
  };
  return globalThis.okaPages
    .map((entry) => ({ entry, points: points(entry) }))
    .filter((each) => each.points > 0)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

function show(entries) {
  chosen = -1;
  list.replaceChildren(...entries.map(rowOf));
  if (entries.length === 0 && input.value.trim() !== '') list.append(nothing());
  const isOpen = list.childElementCount > 0 && input.value.trim() !== '';
  list.hidden = !isOpen;
  input.setAttribute('aria-expanded', String(isOpen));
}

function rowOf({ page, title, at }, index) {
  const row = document.createElement('li');
  const link = document.createElement('a');
  const where = document.createElement('small');
  row.id = `found-${index}`;
  row.setAttribute('role', 'option');
  link.href = at;
  link.tabIndex = -1;
  where.textContent = page;
  link.append(title, where);
  link.addEventListener('click', () => show([]));
  row.append(link);
  return row;
}

function nothing() {
  const row = document.createElement('li');
  row.textContent = 'Nothing has all of these words.';
  row.setAttribute('role', 'option');
  return row;
}

function choose(index) {
  chosen = index;
  for (const [at, row] of [...list.children].entries()) row.setAttribute('aria-selected', String(at === index));
  input.setAttribute('aria-activedescendant', `found-${index}`);
}
