import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandIndex } from '../../../src/app/cli/command-index.ts';
import { OTHERS } from '../../support/other-commands.ts';
import { openStory } from '../../support/story.ts';

const LONG = 'x'.repeat(5000);
const SERVING: readonly string[] = OTHERS.serves.split(',');

const editor = process.env['EDITOR'];
beforeAll(() => void (process.env['EDITOR'] = 'true'));
afterAll(() => {
  if (editor === undefined) delete process.env['EDITOR'];
  else process.env['EDITOR'] = editor;
});

it('a word that is too long for the name of a file is refused by every command, and is no fault of oka', {
  timeout: 240_000,
}, async () => {
  await using story = await openStory({});
  const faults: string[] = [];
  for (const [name, [, load]] of commandIndex.flatMap(({ commands }) => Object.entries(commands))) {
    const { operands = '' } = (await load()).commands[name] ?? {};
    if (operands === '' || SERVING.includes(name)) continue;
    const { err } = await story.oka(...name.split(' '), ...operands.split(' ').map(() => LONG));
    if (/inside oka itself/.test(err)) faults.push(name);
  }
  expect(faults).toEqual([]);
});
