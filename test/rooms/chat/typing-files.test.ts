import { expect, it } from 'vitest';
import { endTyping, isTyping, noteTyping, TYPING_MS, typingFolders } from '../../../src/rooms/chat/typing-files.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('a line that was left counts for 30 seconds, one that was sent not at all, in either folder', () => {
  using folder = temporaryFolder();
  for (const at of typingFolders(folder.dir)) {
    expect(isTyping(folder.dir, 'c', Date.now())).toBe(false);
    noteTyping(at, 'c');
    const now = Date.now();
    expect(isTyping(folder.dir, 'c', now)).toBe(true);
    expect(isTyping(folder.dir, 'c', now + TYPING_MS - 5000)).toBe(true);
    expect(isTyping(folder.dir, 'c', now + TYPING_MS + 1)).toBe(false);
    expect(isTyping(folder.dir, 'c', now - 10 * TYPING_MS)).toBe(false); // the clock was set back
    expect(isTyping(folder.dir, 'other', now)).toBe(false);
    endTyping(at, 'c');
    expect(isTyping(folder.dir, 'c', now)).toBe(false);
  }
});

it('a name that is no conversation touches no file elsewhere', () => {
  using folder = temporaryFolder();
  const [at] = typingFolders(folder.dir);
  noteTyping(at, '../../escaped');
  expect(isTyping(folder.dir, '../../escaped', Date.now())).toBe(false);
});
