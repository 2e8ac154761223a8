/**
 * Owns: matching a path against a glob: * and ? inside a name, ** across folders, {a,b} for either. All other characters
 * match themselves, hidden files are matched like others, and no glob takes more than quadratic time.
 */
const MAX_EXPANSIONS = 64;

/** A glob also matches everything inside what it names: `out` matches out and out/a/b. */
export function matchesGlob(glob: string, path: string): boolean {
  const parts = splitPath(path);
  return expandBraces(glob).some((form) => matchesParts(splitPath(form), parts, 0, 0, new Set()));
}

/** Whether a path is relative and never leaves its folder. */
export function isRelativeInside(path: string): boolean {
  return !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..');
}

const splitPath = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

function matchesParts(
  glob: readonly string[],
  path: readonly string[],
  g: number,
  p: number,
  tried: Set<number>,
): boolean {
  if (g === glob.length) return true;
  const place = g * (path.length + 1) + p;
  if (tried.has(place)) return false;
  tried.add(place);
  if (glob[g] === '**')
    return matchesParts(glob, path, g + 1, p, tried) || (p < path.length && matchesParts(glob, path, g, p + 1, tried));
  return p < path.length && matchesName(glob[g] ?? '', path[p] ?? '') && matchesParts(glob, path, g + 1, p + 1, tried);
}

/** Backtracks to the last star only, so the time is at most the product of both lengths. */
function matchesName(glob: string, name: string): boolean {
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

/** One glob without braces for each choice; where there would be too many, braces match themselves. */
function expandBraces(glob: string): string[] {
  let forms = [glob];
  for (;;) {
    const next = forms.flatMap((form) => {
      const [all, inner] = /\{([^{}]*,[^{}]*)\}/.exec(form) ?? [];
      return all === undefined ? [form] : (inner ?? '').split(',').map((choice) => form.replace(all, () => choice));
    });
    if (next.length > MAX_EXPANSIONS) return forms;
    if (next.length === forms.length && next.every((form, index) => form === forms[index])) return forms;
    forms = next;
  }
}
