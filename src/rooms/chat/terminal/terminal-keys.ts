/**
 * Owns: what a person typed, out of the bytes of a terminal in raw mode.
 *
 * 1. What is pasted between the marks of the terminal is text, never a key: no line of it is sent by itself.
 * 2. A sequence may come in several chunks, and an unknown one is ignored as a whole.
 */
export type KeyName =
  | 'enter'
  | 'newline'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'backspace'
  | 'delete'
  | 'delete-word'
  | 'delete-before'
  | 'delete-after'
  | 'complete'
  | 'interrupt'
  | 'end-of-input'
  | 'redraw';

export type Key = { kind: 'text'; text: string } | { kind: 'paste'; text: string } | { kind: 'key'; name: KeyName };

const PASTE_START = '\u001B[200~';
const PASTE_END = '\u001B[201~';

const CONTROL: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'complete',
  '\u0001': 'home',
  '\u0002': 'left',
  '\u0003': 'interrupt',
  '\u0004': 'end-of-input',
  '\u0005': 'end',
  '\u0006': 'right',
  '\u0008': 'backspace',
  '\u000B': 'delete-after',
  '\u000C': 'redraw',
  '\u000E': 'down',
  '\u0010': 'up',
  '\u0015': 'delete-before',
  '\u0017': 'delete-word',
  '\u007F': 'backspace',
};

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  '[1;5C': 'word-right',
  '[1;5D': 'word-left',
  '[1;3C': 'word-right',
  '[1;3D': 'word-left',
  '[13;2u': 'newline',
  '[13;3u': 'newline',
  '[27;2;13~': 'newline',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  b: 'word-left',
  f: 'word-right',
  '\r': 'newline',
  '\n': 'newline',
  '\u007F': 'delete-word',
};

const SEQUENCE = /^(?:\[[0-9;?<=>]*[ -/]*[@-~]|O[A-Za-z]|[^[O])/;
/** A sequence that is longer than this is none. */
const LONGEST_SEQUENCE = 32;

type KeyReader = {
  read: (chunk: string) => Key[];
  /** Whether an escape waits for what belongs to it. */
  isPending: () => boolean;
  /** Drops an escape that nothing has followed. */
  drop: () => void;
};

export function openKeyReader(): KeyReader {
  let rest = '';
  let pasted: string | null = null;
  return {
    isPending: () => pasted === null && rest !== '',
    drop: () => void (rest = pasted === null ? '' : rest),
    read: (chunk) => {
      const keys: Key[] = [];
      rest += chunk;
      for (;;) {
        if (pasted !== null) {
          const end = rest.indexOf(PASTE_END);
          const taken = end === -1 ? Math.max(0, rest.length - PASTE_END.length + 1) : end;
          pasted += rest.slice(0, taken);
          rest = rest.slice(end === -1 ? taken : taken + PASTE_END.length);
          if (end === -1) return keys;
          keys.push({ kind: 'paste', text: pasted.replaceAll(/\r\n?/g, '\n') });
          pasted = null;
        } else if (rest.startsWith(PASTE_START)) {
          rest = rest.slice(PASTE_START.length);
          pasted = '';
        } else {
          const [key, length] = firstKey(rest);
          if (length === 0) return keys;
          rest = rest.slice(length);
          if (key !== null) keys.push(key);
        }
      }
    },
  };
}

/** The first key, and how many characters it has; none while it is not complete. */
function firstKey(text: string): [key: Key | null, length: number] {
  if (text === '') return [null, 0];
  if (text.startsWith('\u001B')) return escapedKey(text);
  const plain = /^\P{Cc}+/u.exec(text)?.[0];
  if (plain !== undefined) return [{ kind: 'text', text: plain }, plain.length];
  const name = CONTROL[text[0] ?? ''];
  return [name === undefined ? null : { kind: 'key', name }, 1];
}

function escapedKey(text: string): [key: Key | null, length: number] {
  const sequence = SEQUENCE.exec(text.slice(1, LONGEST_SEQUENCE + 1))?.[0];
  if (sequence === undefined) return [null, text.length > LONGEST_SEQUENCE ? 1 : 0];
  const name = SEQUENCES[sequence];
  return [name === undefined ? null : { kind: 'key', name }, 1 + sequence.length];
}
