import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

/** Names, kinds, modes, times of changes and contents of everything in a folder. */
const allOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, mtimeMs } = lstatSync(path);
      return [path, mode, mtimeMs, entry.isFile() ? readFileSync(path, 'utf8') : ''].join(' ');
    })
    .toSorted();

const REPORT = `---
id: report
accept:
  - 'contains: out/report.md "3 lines"'
---
# A small report

## Gather

\`\`\`bash
mkdir -p out
printf 'a\\nb\\nc\\n' > out/data.txt
\`\`\`

## Count

\`\`\`python
lines = open('out/data.txt').read().count('\\n')
open('out/report.md', 'w').write(f'{lines} lines\\n')
\`\`\`

## Look

\`\`\`js
console.log(require('node:fs').readFileSync('out/report.md', 'utf8'))
\`\`\`
`;

describe('a runbook', () => {
  it('W2 is checked by commands that may write, and nothing that they write stays on the desk', async () => {
    await using story = await openStory();
    story.write('workspace/desk/.hidden/old', 'old');
    story.drop(
      'checked.md',
      `---
id: checked
accept:
  - 'command: python3 -m py_compile v.py'
  - 'command: echo seen >> log.txt && mkdir made && rm .hidden/old && test "$(wc -l < log.txt)" = 2'
  - 'command: test ! -e made && grep -q one log.txt'
---
# Two files

\`\`\`bash accept:"command: touch by-step && test -e by-step"
echo 'x = 1' > v.py
echo one > log.txt
\`\`\`
`,
    );
    story.work();
    const { status, page } = await story.ended('checked');
    expect(page).toContain('3 of 3 criteria met');
    expect(status).toBe('done');
    expect(readdirSync(join(story.home.workspace, 'desk'), { recursive: true }).map(String).toSorted()).toEqual([
      '.hidden',
      '.hidden/old',
      'log.txt',
      'v.py',
    ]);
    expect(story.deskText('log.txt')).toBe('one\n');
    expect(readdirSync(join(story.home.oka, 'scratch'))).toEqual([]);
    const kept = (await story.eventsOf('desk.kept')).map(({ data }) => data.call);
    const checks = (await story.eventsOf('call.started')).filter(({ data }) => data.node === null);
    expect(checks.filter(({ data }) => kept.includes(data.call))).toEqual([]);
  });

  const KINDS: readonly [kind: string, line: string][] = [
    ['a compiler that keeps what it has made', 'python3 -m py_compile v.py'],
    ['a test runner with a cache', 'python3 -m unittest -q test_v'],
    ['a build', 'sh build.sh && test -x app && test -s made/log'],
    ['a command that removes', 'rm -r keep && test ! -e keep'],
    ['a command that moves', 'mv v.py w.py && test -e w.py && test ! -e v.py'],
    ['a command that edits in place', "sed -i 's/1/2/' v.py && grep -q 'x = 2' v.py"],
    ['a command that makes links and changes modes', 'ln -s v.py link && chmod 700 v.py && test -L link'],
    ['a program of its own', `python3 -c "open('own.txt', 'w').write('x')" && test -s own.txt`],
    ['a command that goes on after its end', '(sleep 0.3; echo late > late.txt) > /dev/null 2>&1 & true'],
  ];

  it('W2 stays as it is, byte for byte, whatever a check of a task or of a step does', async () => {
    await using story = await openStory();
    const desk = join(story.home.workspace, 'desk');
    story.write('workspace/desk/keep/old.txt', 'old\n');
    story.write('workspace/desk/v.py', 'x = 1\n');
    story.write(
      'workspace/desk/test_v.py',
      'import unittest, v\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(v.x, 1)\n',
    );
    story.write('workspace/desk/build.sh', 'mkdir -p made\necho built > made/log\ncp v.py app\nchmod +x app\n');
    const before = allOf(desk);
    const own = KINDS.map(([, line]) => `  - ${JSON.stringify(`command: ${line}`)}\n`).join('');
    const steps = KINDS.filter(([, line]) => !line.includes('"'))
      .map(([, line]) => ` accept:"command: ${line}"`)
      .join('');
    story.drop('kinds.md', `---\nid: kinds\naccept:\n${own}---\n# Look\n\n\`\`\`bash${steps}\ncat v.py\n\`\`\`\n`);
    story.work();
    const { status, page } = await story.ended('kinds');
    expect(page).toContain(`${KINDS.length} of ${KINDS.length} criteria met`);
    expect(status).toBe('done');
    expect(allOf(desk)).toEqual(before);
    expect(readdirSync(join(story.home.oka, 'scratch'))).toEqual([]);
  });

  it('W1 is done step by step without a model, and its result tells what was done and what shows it', async () => {
    await using story = await openStory();
    story.drop('report.md', REPORT);
    story.work();
    const { status, page } = await story.ended('report');
    expect(status).toBe('done');
    expect(story.deskText('out/report.md')).toBe('3 lines\n');
    expect(page).toContain('✅ Done.** 1 of 1 criteria met.');
    expect(page).toMatch(/1\. ✅ Gather[^]*2\. ✅ Count[^]*3\. ✅ Look[^]*3 lines/);
    expect(page).toContain('new [`out/report.md`](files/out/report.md)');
    expect(page).toContain('no model was used');
    const types = (await story.events()).filter(({ run }) => run === 'report').map(({ type }) => type);
    expect(types.indexOf('task.received')).toBeLessThan(types.indexOf('run.started'));
    expect(await story.oka('replay', 'report', '--mode', 'decision')).toMatchObject({
      code: 0,
      out: expect.stringContaining('the same'),
    });
    expect((await story.oka('explain', 'report')).out).toContain('within critique: files.read (read) ok');
  });
});
