import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oka, okaWith, type Ran, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

let folder: TemporaryFolder;
let home: string;
beforeEach(async () => {
  folder = temporaryFolder();
  home = join(folder.dir, 'home');
  mkdirSync(join(folder.dir, 'tmp'));
  await oka('init', '--dir', home);
});
afterEach(() => folder[Symbol.dispose]());

/** `editor` is a shell script that gets the file as its argument, as an editor does. */
const newTask = (editor: string, ...words: string[]): Promise<Ran> => {
  const program = join(folder.dir, 'an editor');
  writeFileSync(program, `#!/bin/sh\n${editor}\n`, { mode: 0o755 });
  const env = { VISUAL: undefined, EDITOR: `'${program}' --wait`, TMPDIR: join(folder.dir, 'tmp') };
  return okaWith({ env }, 'new', ...words, '--dir', home);
};

const inInbox = (): string[] =>
  readdirSync(join(home, 'workspace/inbox'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  );

describe('oka new', () => {
  it('opens a template with the title, and adds what was written, without the hints', async () => {
    const seen = join(folder.dir, 'seen');
    const ran = await newTask(
      `cp "$2" "${seen}"; sed -i 's/^  # - file: report.md.*/  - file: report.md/' "$2"; echo "Write a report." >> "$2"`,
      'Weekly report',
    );
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Added: Weekly report') as string });
    expect(readFileSync(seen, 'utf8')).toMatch(/^---\n#[^]*accept:[^]*# Weekly report\n/);
    const [path = ''] = inInbox();
    expect(path).toMatch(/weekly-report\.md$/);
    expect(readFileSync(join(home, 'workspace/inbox', path), 'utf8')).toBe(
      '---\naccept:\n  - file: report.md\n---\n# Weekly report\n\nWrite a report.\n',
    );
    expect(readdirSync(join(folder.dir, 'tmp'))).toEqual([]);
  });

  it.each(['true', ': > "$2"'])('adds nothing when nothing was written (%s)', async (editor) => {
    expect(await newTask(editor)).toMatchObject({ code: 0, out: 'Nothing was written, so no task was added.\n' });
    expect(inInbox()).toEqual([]);
  });

  it('adds nothing when the editor fails, or when there is none', async () => {
    expect(await newTask('exit 3')).toMatchObject({
      code: 3,
      err: expect.stringContaining('did not end well') as string,
    });
    const none = await okaWith({ env: { VISUAL: undefined, EDITOR: undefined } }, 'new', '--dir', home);
    expect(none).toMatchObject({ code: 3, err: expect.stringContaining('EDITOR=nano') as string });
    expect(inInbox()).toEqual([]);
  });

  it('does not lose a text that is not a task: it says what is wrong and where the text is', async () => {
    const { code, err } = await newTask(`printf -- '---\\nprioriti: 3\\n---\\nDo it.\\n' > "$2"`);
    expect(code).not.toBe(0);
    expect(err).toContain('"prioriti" is not known');
    const [, file = ''] = /oka add (\S+)/.exec(err) ?? [];
    expect(existsSync(file) && readFileSync(file, 'utf8')).toContain('Do it.');
    expect(inInbox()).toEqual([]);
  });
});
