/**
 * Owns: which agents a text mentions. `@name` counts outside of code, quoted lines, e-mail addresses and paths; each name
 * counts once, in the order of first mention. Takes time linear in the length of the text.
 */

/** Everybody who has joined. */
const ALL = 'all';

const NAME = /(?<![\p{L}\p{N}_.+\-@/\\])@([A-Za-z][A-Za-z0-9_-]{0,59})(?![\p{L}\p{N}_@/]|\.[\p{L}\p{N}])/gu;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const QUOTE = /^ {0,3}>/;
const INLINE_CODE = /`[^`\n]*`/g;

/** Names behind an @, in lower case; whether there are such agents is not asked here. */
export function mentionedNames(text: string): string[] {
  const names = new Set<string>();
  for (const line of spokenLines(text))
    for (const [, name = ''] of line.replaceAll(INLINE_CODE, ' ').matchAll(NAME))
      names.add(name.toLowerCase().replace(/[-_]+$/, ''));
  return [...names];
}

/** Lines that are neither quoted nor inside a fence; a fence that is not closed reaches to the end. */
function* spokenLines(text: string): Generator<string> {
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const mark: string | undefined = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && isBareFence(line)) fence = null;
    } else if (mark !== undefined) fence = mark;
    else if (!QUOTE.test(line)) yield line;
  }
}

const isBareFence = (line: string): boolean => /^ {0,3}[`~]+[ \t]*$/.test(line);

export type Mentions = {
  /** Agents that are asked, in order. */
  agents: string[];
  /** Names of nobody. */
  unknown: string[];
  /** Agents that the author may not mention. */
  refused: string[];
  /** Whether everybody was asked at once. */
  isAll: boolean;
};

type MentionContext = {
  author: string;
  /** Agents that there are. */
  known: readonly string[];
  /** Agents that have joined. */
  members: readonly string[];
  /** Agents that the author may mention; undefined = any. */
  allowed?: readonly string[] | undefined;
  /** Names that are no agents, and no mistake either. */
  others: readonly string[];
};

/** Whom a message asks. Nobody asks himself. */
export function resolveMentions(text: string, { author, known, members, allowed, others }: MentionContext): Mentions {
  const names = mentionedNames(text);
  const isAll = names.includes(ALL);
  const meant = new Set(names.flatMap((name) => (name === ALL ? members : [name])));
  const found: Mentions = { agents: [], unknown: [], refused: [], isAll };
  for (const name of meant) {
    if (name === author || others.includes(name)) continue;
    if (!known.includes(name)) {
      if (names.includes(name)) found.unknown.push(name);
    } else if (allowed !== undefined && !allowed.includes(name)) found.refused.push(name);
    else found.agents.push(name);
  }
  return found;
}
