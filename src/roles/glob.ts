/** Owns: whether a path is meant by a glob: * and ? inside a name, ** over folders, {a,b} for either. */
const MOST_FORMS = 64;

/** A glob also means everything below what it names: `out` means out and out/a/b. */
export function isMeant(glob: string, path: string): boolean {
  const parts = partsOf(path);
  return formsOf(glob).some((form) => meets(partsOf(form), parts, 0, 0, new Set()));
}

/** A relative path without a step up. */
export function isBelow(path: string): boolean {
  return !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..');
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

function meets(glob: readonly string[], path: readonly string[], g: number, p: number, tried: Set<number>): boolean {
  if (g === glob.length) return true;
  const place = g * (path.length + 1) + p;
  if (tried.has(place)) return false;
  tried.add(place);
  if (glob[g] === '**')
    return meets(glob, path, g + 1, p, tried) || (p < path.length && meets(glob, path, g, p + 1, tried));
  return p < path.length && isNamed(glob[g] ?? '', path[p] ?? '') && meets(glob, path, g + 1, p + 1, tried);
}

/** Goes back to the last star only: time grows with the product of the lengths at most. */
function isNamed(glob: string, name: string): boolean {
  const [pattern, text] = [Array.from(glob), Array.from(name)];
  let [g, star, from] = [0, -1, 0];
  for (let t = 0; t < text.length; ) {
    if (pattern[g] === '*') [star, from, g] = [g, t, g + 1];
    else if (g < pattern.length && (pattern[g] === '?' || pattern[g] === text[t])) [g, t] = [g + 1, t + 1];
    else if (star !== -1) [g, from, t] = [star + 1, from + 1, from + 1];
    else return false;
  }
  return pattern.slice(g).every((each) => each === '*');
}

/** A glob without braces for every choice; beyond a number of choices the braces mean themselves. */
function formsOf(glob: string): string[] {
  let forms = [glob];
  for (;;) {
    const next = forms.flatMap((form) => {
      const [all, inner] = /\{([^{}]*,[^{}]*)\}/.exec(form) ?? [];
      return all === undefined ? [form] : (inner ?? '').split(',').map((choice) => form.replace(all, () => choice));
    });
    if (next.length > MOST_FORMS) return forms;
    if (next.length === forms.length && next.every((form, index) => form === forms[index])) return forms;
    forms = next;
  }
}
