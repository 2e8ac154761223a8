import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

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
