/** Owns: explaining how different texts arise from one template and known differences. */

export type Known = { name: string; values: readonly string[] };
/** Constant text, and the names of the holes in it. */
export type Parts = (string | { hole: string })[];

const MAX_LENGTH = 20_000;
const MAX_TRIES = 20_000;

/** Returns null when no known difference explains the texts. */
export function explainDifference(texts: readonly string[], known: readonly Known[]): Parts | null {
  const [first = ''] = texts;
  if (texts.every((text) => text === first)) return [first];
  if (texts.some((text) => text.length > MAX_LENGTH)) return null;
  const differing = known.filter(
    ({ values }) => values.every((value) => value !== '') && new Set(values).size > 1 && values.length === texts.length,
  );
  const bySize = differing.toSorted((a, b) => totalLength(b) - totalLength(a));
  return searchTemplate(
    texts,
    bySize,
    texts.map(() => 0),
    { dead: new Set(), tries: 0 },
  );
}

const totalLength = ({ values }: Known): number => values.reduce((sum, value) => sum + value.length, 0);

type Searched = { dead: Set<string>; tries: number };

/** Prefers holes over constant text, and longer values over shorter ones. */
function searchTemplate(
  texts: readonly string[],
  known: readonly Known[],
  start: readonly number[],
  seen: Searched,
): Parts | null {
  const at = [...start];
  let text = '';
  for (;;) {
    if (at.every((place, run) => place === texts[run]?.length)) return text === '' ? [] : [text];
    for (const { name, values } of known) {
      if (!values.every((value, run) => texts[run]?.startsWith(value, at[run]))) continue;
      const next = at.map((place, run) => place + (values[run]?.length ?? 0));
      const rest = searchFrom(texts, known, next, seen);
      if (rest !== null) return [...(text === '' ? [] : [text]), { hole: name }, ...rest];
    }
    const [here = 0] = at;
    const letter = texts[0]?.[here];
    if (letter === undefined || !at.every((place, run) => texts[run]?.[place] === letter)) return null;
    text += letter;
    at.forEach((place, run) => void (at[run] = place + 1));
  }
}

function searchFrom(
  texts: readonly string[],
  known: readonly Known[],
  at: readonly number[],
  seen: Searched,
): Parts | null {
  const key = at.join(' ');
  if (seen.dead.has(key) || seen.tries >= MAX_TRIES) return null;
  seen.tries += 1;
  const found = searchTemplate(texts, known, at, seen);
  if (found === null) seen.dead.add(key);
  return found;
}

/** Renders the parts as text, with `{{input.name}}` in the inputs of steps and `{{name}}` elsewhere. */
export function toTemplate(parts: Parts, prefix = ''): string {
  return parts.map((part) => (typeof part === 'string' ? part : `{{${prefix}${part.hole}}}`)).join('');
}

/** Replaces the holes of a template; a hole without a value stays. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(?:input\.)?([a-z][a-z0-9_]*)\}\}/g, (all, name: string) => values[name] ?? all);
}
