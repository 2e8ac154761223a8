/** Owns: the input line of a chat: the draft, what was written before, and what a key leads to. */
import { completeWord } from './complete-word.ts';
import { type Draft, draftOf, draftText, editDraft, emptyDraft, verticalMove } from './draft-editor.ts';
import type { Key, KeyName } from './terminal-keys.ts';

type InputAction =
  /** The draft or the cursor may have changed. */
  | { kind: 'edited' }
  | { kind: 'line'; text: string }
  /** Ctrl-C on an empty line; on another one it empties the line. */
  | { kind: 'interrupt' }
  | { kind: 'end' }
  | { kind: 'redraw' };

type InputLine = { draft: () => Draft; press: (key: Key) => InputAction };

const edited: InputAction = { kind: 'edited' };

/** `before` are earlier lines, the oldest first. */
export function openInputLine(before: readonly string[], agents: readonly string[]): InputLine {
  const history = [...before];
  let draft: Draft = emptyDraft;
  let place = history.length;

  function change(next: Draft): InputAction {
    draft = next;
    return edited;
  }

  function moveVertically(name: 'up' | 'down'): InputAction {
    const by = name === 'up' ? -1 : 1;
    if (verticalMove(draft, by) !== null) return change(editDraft(draft, { kind: 'key', name }));
    const next = Math.max(0, Math.min(history.length, place + by));
    if (next === place) return edited;
    place = next;
    return change(draftOf(history[place] ?? ''));
  }

  /** A backslash at the end begins a new line instead. */
  function enter(): InputAction {
    const text = draftText(draft);
    if (text.endsWith('\\') && draft.cursor === draft.cells.length)
      return change((['backspace', 'newline'] as const).reduce(editByName, draft));
    draft = emptyDraft;
    if (text.trim() === '') return edited;
    if (history.at(-1) !== text) history.push(text);
    place = history.length;
    return { kind: 'line', text };
  }

  function pressNamed(name: KeyName): InputAction {
    const isEmpty = draft.cells.length === 0;
    switch (name) {
      case 'enter':
        return enter();
      case 'interrupt':
        return isEmpty ? { kind: 'interrupt' } : change(emptyDraft);
      case 'end-of-input':
        return isEmpty ? { kind: 'end' } : change(editByName(draft, 'delete'));
      case 'redraw':
        return { kind: 'redraw' };
      case 'complete':
        return change(completeWord(draft, agents));
      case 'up':
      case 'down':
        return moveVertically(name);
      case 'backspace':
      case 'delete':
      case 'delete-after':
      case 'delete-before':
      case 'delete-word':
      case 'end':
      case 'home':
      case 'left':
      case 'newline':
      case 'right':
      case 'word-left':
      case 'word-right':
        return change(editByName(draft, name));
    }
  }

  return {
    draft: () => draft,
    press: (key) => (key.kind === 'key' ? pressNamed(key.name) : change(editDraft(draft, key))),
  };
}

const editByName = (draft: Draft, name: KeyName): Draft => editDraft(draft, { kind: 'key', name });
