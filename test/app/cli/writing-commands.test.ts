import { createHash } from 'node:crypto';
import { globSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandIndex } from '../../../src/app/cli/command-index.ts';
import { openStory, type Story } from '../../support/story.ts';
import { OTHERS, SAME } from '../../support/other-commands.ts';
import { ROWS } from '../../support/writing-commands.ts';
import { prepare } from '../../support/writing-homes.ts';

const all = commandIndex.flatMap(({ commands }) => Object.keys(commands));

it('every command has a row that tries its writing, or says why it has none', () => {
  const listed = [
    ...Object.keys(ROWS),
    ...Object.keys(SAME),
    ...Object.values(OTHERS).flatMap((names) => names.split(',')),
  ];
  expect(listed.toSorted()).toEqual(all.toSorted());
  expect(Object.values(SAME).filter((row) => !Object.hasOwn(ROWS, row))).toEqual([]);
});

/** Made again from the ledger whenever it is missing, or of the machine. */
const DERIVED = /^\.oka\/(?:index|state|locks|cache|active_task_graph\.json|live)/;

function contents({ home }: Story): Map<string, string> {
  const files = globSync('**/*', { cwd: home.dir, exclude: (name) => name === 'node_modules' });
  const hidden = globSync('.oka/**/*', { cwd: home.dir });
  return new Map(
    [...new Set([...files, ...hidden])]
      .filter((path) => !DERIVED.test(path) && lstatSync(join(home.dir, path)).isFile())
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(home.dir, path)))
          .digest('hex'),
      ]),
  );
}

/** What a command that reads is given here; the others need nothing. */
const GIVEN: Readonly<Record<string, string[]>> = {
  check: ['Sort the photos'],
  read: ['FILE'],
  find: ['x'],
  show: ['base0'],
  'chat search': ['x'],
  'chat view': ['trip0'],
  'memory daily search': ['x'],
  'memory fact get': ['old0'],
  'memory fact search': ['fact'],
  'memory pack': ['base0'],
  'memory retrieve': ['fact'],
  'procedures show': ['none'],
  'procedures why': ['base0'],
  'context diff': ['2026-01-31'],
  'context get-head': ['desk/about0.txt'],
  'context get-node': ['desk/about0.txt'],
  'context list-frames': ['desk/about0.txt'],
  'graph diff': ['base0'],
  'graph render': ['base0'],
  'graph runs': ['base0'],
  'graph show': ['base0'],
  'graph state checkpoints': ['base0'],
  'graph state get': ['base0', 'k'],
  'graph state history': ['base0'],
  'graph state show': ['base0'],
  'graph validate': ['base0'],
  'graph versions': ['base0'],
  diff: ['base0', 'lost0'],
  simulate: ['base0'],
  explain: ['base0'],
  replay: ['base0'],
  'skills show': ['none'],
  'agents show': ['oka'],
  classify: ['git push'],
};

it('commands that read change nothing', async () => {
  await using story = await openStory({});
  await prepare(story, 1);
  const file = join(story.home.dir, '..', `${story.home.dir.split('/').at(-1)}.txt`);
  writeFileSync(file, 'x\n');
  let before = contents(story);
  const changing: string[] = [];
  const misused: string[] = [];
  for (const name of OTHERS.reads.split(',')) {
    const given = (GIVEN[name] ?? []).map((word) => (word === 'FILE' ? file : word));
    if ((await story.oka(...name.split(' '), ...given)).code === 2) misused.push(name);
    const after = contents(story);
    const differs = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    if (differs.length > 0) changing.push(`${name}: ${differs.join(', ')}`);
    before = after;
  }
  rmSync(file);
  expect(changing).toEqual([]);
  // of these there is none in this home
  expect(misused).toEqual(['procedures show', 'procedures why', 'graph diff', 'skills show', 'backup list']);
});
