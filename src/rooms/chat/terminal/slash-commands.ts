/** What a line that begins with / means in a chat. */
import { nearestWord } from '../../../core/schema/nearest-word.ts';

export type SlashCommand =
  | { kind: 'help' | 'pause' | 'resume' | 'stop' | 'quit' }
  /** Turns the conversation into a task. */
  | { kind: 'task'; text: string }
  /** A message that is sent as it is, although a question is open. */
  | { kind: 'say'; text: string }
  /** A command of `oka`. */
  | { kind: 'oka'; words: string[] }
  | { kind: 'unknown'; problem: string };

/** Commands of `oka` that have the same name here. */
const SAME_AS_OKA: Readonly<Record<string, string>> = {
  graph: 'see, run and build graphs, as oka graph …',
  memory: 'what is remembered, as oka memory …',
  undo: 'undo what a run has changed, as oka undo …',
  agents: 'who can be mentioned, as oka agents …',
  status: 'what runs and what waits, as oka status',
};

const OWN: Readonly<Record<string, string>> = {
  help: 'this list',
  pause: 'pause the conversation: nothing is answered',
  resume: 'answer what was queued meanwhile',
  stop: 'stop the replies in progress (also Ctrl-C)',
  task: 'turn the conversation into a task; say what is to be done',
  say: 'send a message although a question is open',
  quit: 'leave; agents go on (also Ctrl-D)',
};

export const SLASH_NAMES: readonly string[] = [...Object.keys(OWN), ...Object.keys(SAME_AS_OKA)];

const FAMILIES: Readonly<Record<string, string>> = { agents: 'list' };

/** Null when the line is a message. A message that begins with / is written with two of them. */
export function parseSlash(line: string): SlashCommand | null {
  const [, name = '', rest = ''] = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(line.trim()) ?? [];
  if (!line.startsWith('/') || line.startsWith('//')) return null;
  switch (name) {
    case 'help':
    case 'pause':
    case 'resume':
    case 'stop':
    case 'quit':
      return { kind: name };
    case 'exit':
      return { kind: 'quit' };
    case 'task':
    case 'say':
      return { kind: name, text: rest.trim() };
  }
  if (Object.hasOwn(SAME_AS_OKA, name)) {
    const words = splitWords(rest);
    const family = FAMILIES[name];
    return { kind: 'oka', words: [name, ...(words.length === 0 && family !== undefined ? [family] : words)] };
  }
  if (name === '' && /^\/[^a-z]/.test(line)) return null; // a path such as /Users/me
  const near = nearestWord(name, SLASH_NAMES);
  const hint = near === null ? 'See /help.' : `Did you mean /${near}?`;
  return { kind: 'unknown', problem: `There is no command "/${name}". ${hint} A message that begins with / has two.` };
}

/** Words as a shell would split them: quotes of both kinds, and a backslash before any character. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [whole] of text.matchAll(/(?:"(?:\\.|[^"\\])*"?|'[^']*'?|\\.|[^\s"'\\])+/gs))
    words.push(
      whole.replaceAll(
        /"((?:\\.|[^"\\])*)"?|'([^']*)'?|\\(.)/gs,
        (_all, double?: string, single?: string, one?: string) =>
          double === undefined ? (single ?? one ?? '') : double.replaceAll(/\\(.)/gs, '$1'),
      ),
    );
  return words;
}

export function slashHelp(dim: (text: string) => string): string {
  const lines = Object.entries({ ...OWN, ...SAME_AS_OKA }).map(([name, about]) => `  /${name.padEnd(8)} ${dim(about)}`);
  const keys = [
    '  @name     asks an agent, @all everybody here; without one you talk to the only one here, or to oka',
    '  Alt-Enter begins a new line (also Ctrl-J, or a \\ at the end of the line)',
    '  Ctrl-C    stops the reply; twice on an empty line leaves',
  ];
  return `${[...lines, ...keys].join('\n')}\n`;
}
