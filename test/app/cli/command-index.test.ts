import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRecording } from '../../../bench/budget/recording.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { COMMAND_INDEX, commandIndexText } from '../../support/command-index-text.ts';

const top = new URL('../../../', import.meta.url);

it('the index of commands is what their declarations say; npm run docs writes it', async () => {
  expect(readFileSync(new URL(COMMAND_INDEX, top), 'utf8')).toBe(await commandIndexText());
});

it.each([
  [['--help'], 0],
  [['no-such-command'], 0],
  [['graph', '--help'], 9],
  [['status', '--no-such-option'], 1],
  [['fleet', '--help'], 3],
])('oka %j loads the tables of its own family alone', (words, tables) => {
  using folder = temporaryFolder();
  const recording = openRecording(folder.dir, 'loaded');
  const launcher = new URL('bin/oka', top).pathname;
  spawnSync(process.execPath, [launcher, ...words], { env: { ...process.env, ...recording.env } });
  const lines = recording.lines();
  expect(lines).toContain(`module ${new URL('src/app/cli/command-index.ts', top).href}`);
  expect(lines.filter((line) => /^module .*-commands\.ts$/.test(line))).toHaveLength(tables);
  expect(lines.filter((line) => /^module .*\/(?:cli\/commands|app\/rooms)\.ts$/.test(line))).toEqual([]);
});

it('oka --help loads nothing of Node that reads files as streams', () => {
  using folder = temporaryFolder();
  const preload = join(folder.dir, 'loaded.cjs');
  writeFileSync(preload, `process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')));`);
  const launcher = new URL('bin/oka', top).pathname;
  const { stdout, stderr } = spawnSync(process.execPath, ['--require', preload, launcher, '--help'], {
    encoding: 'utf8',
  });
  expect(stdout).toContain('oka');
  const loaded = stderr.split('\n');
  expect(loaded).toContain('NativeModule fs');
  expect(loaded).not.toContain('NativeModule internal/fs/streams');
});
