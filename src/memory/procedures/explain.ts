/** Owns: how texts that differ come about from one template and what is known to differ. */

export type Known = { name: string; values: readonly string[] };
/** Text that stays, and names of what is filled in. */
export type Parts = (string | { hole: string })[];

const LONGEST = 20_000;
const MOST_TRIES = 20_000;

/** Null when nothing that is known explains the difference. */
export function explained(texts: readonly string[], known: readonly Known[]): Parts | null {
  const [first = ''] = texts;
  if (texts.every((text) => text === first)) return [first];
  if (texts.some((text) => text.length > LONGEST)) return null;
  const differing = known.filter(
    ({ values }) => values.every((value) => value !== '') && new Set(values).size > 1 && values.length === texts.length,
  );
  const bySize = differing.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return search(
    texts,
    bySize,
    texts.map(() => 0),
    { dead: new Set(), tries: 0 },
  );
}

const sizeOf = ({ values }: Known): number => values.reduce((sum, value) => sum + value.length, 0);

type Searched = { dead: Set<string>; tries: number };

/** What is filled in goes before what stays, and the longest first. */
function search(
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
      const rest = tried(texts, known, next, seen);
      if (rest !== null) return [...(text === '' ? [] : [text]), { hole: name }, ...rest];
    }
    const [here = 0] = at;
    const letter = texts[0]?.[here];
    if (letter === undefined || !at.every((place, run) => texts[run]?.[place] === letter)) return null;
    text += letter;
    at.forEach((place, run) => void (at[run] = place + 1));
  }
}

function tried(texts: readonly string[], known: readonly Known[], at: readonly number[], seen: Searched): Parts | null {
  const key = at.join(' ');
  if (seen.dead.has(key) || seen.tries >= MOST_TRIES) return null;
  seen.tries += 1;
  const found = search(texts, known, at, seen);
  if (found === null) seen.dead.add(key);
  return found;
}

/** As text: `{{input.name}}` in the inputs of steps, `{{name}}` elsewhere. */
export function templateOf(parts: Parts, prefix = ''): string {
  return parts.map((part) => (typeof part === 'string' ? part : `{{${prefix}${part.hole}}}`)).join('');
}

/** What differs, and what a person could do with what is filled in. */
export function rendered(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(?:input\.)?([a-z][a-z0-9_]*)\}\}/g, (all, name: string) => values[name] ?? all);
}
