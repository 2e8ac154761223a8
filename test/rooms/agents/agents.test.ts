import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oka, type Ran, temporaryFolder } from '../../support/cli.ts';

it('an agent is made from the command line, listed, shown and checked; what is wrong is named with its line', async () => {
  using folder = temporaryFolder();
  const agents = (...words: string[]): Promise<Ran> => oka('agents', ...words, '--dir', folder.dir);
  await oka('init', '--dir', folder.dir);
  expect((await agents('list')).out).toContain('@oka  writer  default model  The assistant of this home.');
  const made = await agents('new', 'arya', '--role', 'writer', '--description', 'Finds "names".');
  const file = join(folder.dir, '.oka/rules/agents/arya.md');
  expect(made.out).toContain(file);
  expect(existsSync(file)).toBe(true);
  expect(await agents('check')).toMatchObject({ code: 0 });
  expect((await agents('show', '@arya')).out).toContain('capabilities: read, write, frames');
  expect(JSON.parse((await agents('show', 'arya', '--json')).out)).toMatchObject({
    name: 'arya',
    description: 'Finds "names".',
  });
  expect(await agents('new', 'arya')).toMatchObject({ code: 2 });
  expect(await agents('new', 'all')).toMatchObject({ code: 2 });
  expect((await agents('show', 'arja')).err).toContain('did you mean "arya"?');
  writeFileSync(file, readFileSync(file, 'utf8').replace('role: writer', 'role: writer\ntools: [files.raed]'));
  const checked = await agents('check', 'arya');
  expect(checked).toMatchObject({ code: 1 });
  expect(checked.out).toContain('there is no tool "files.raed"; did you mean "files.read"?');
  writeFileSync(file, '---\nrole: boss\n---\n');
  expect((await agents('check')).out).toMatch(/line 2,\s+role/);
  expect(JSON.parse((await agents('list', '--json')).out)).toMatchObject({
    agents: [{ name: 'oka', file: null }],
    invalid: [{ name: 'arya' }],
  });
});
