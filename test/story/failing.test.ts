import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

describe('a runbook that does not go well', () => {
  it('fails with the step, its words and what was not begun', async () => {
    await using story = await openStory();
    story.drop(
      'broken.md',
      `---
id: broken
---
## Prepare
\`\`\`bash
echo ready > ready.txt
\`\`\`
## Break
\`\`\`bash
echo "the disk is on fire" >&2
exit 7
\`\`\`
## Never
\`\`\`bash
echo never > never.txt
\`\`\`
`,
    );
    story.work();
    const { status, reason, page } = await story.ended('broken');
    expect(status).toBe('failed');
    expect(reason).toMatch(/exit 7[^]*the disk is on fire/);
    expect(page).toMatch(/1\. ✅ Prepare[^]*2\. ❌ Break[^]*the disk is on fire[^]*3\. ⤼ Never \(not run\)/);
    expect(page).toContain('oka resume broken');
    expect(page).toContain('oka undo broken');
    expect(story.deskText('never.txt')).toBeNull();
    expect((await story.oka('runs')).out).toMatch(/failed .* broken/);
    expect((await story.oka('show', 'broken')).out).toContain('the disk is on fire');
  });

  it('goes on with the fallback of a step, and says so; needs and timeout hold', async () => {
    await using story = await openStory();
    story.drop(
      'careful.md',
      `---
id: careful
accept: ['contains: order.txt "ba"']
---
\`\`\`bash id:a needs:b
printf a >> order.txt
\`\`\`
\`\`\`bash id:b needs:none
printf b >> order.txt
\`\`\`
\`\`\`bash id:slow needs:a timeout:1 fallback:"nobody answered"
sleep 60
\`\`\`
\`\`\`bash id:end needs:slow
printf end >> order.txt
\`\`\`
`,
    );
    story.work();
    const { status, page } = await story.ended('careful');
    expect(status).toBe('done');
    expect(story.deskText('order.txt')).toBe('baend');
    expect(page).toMatch(/slow \(.*failed, continued with its fallback\)[^]*stopped after 1 s/);
  });

  it('a resumed run keeps what was done, and ends with a result of its own', async () => {
    await using story = await openStory();
    story.drop(
      'mend.md',
      '---\nid: mend\n---\n```bash id:one\necho one >> log.txt\n```\n```bash id:two\ntest -f key.txt\n```\n',
    );
    story.work();
    expect((await story.ended('mend')).status).toBe('failed');
    story.write('workspace/desk/key.txt', 'x');
    expect((await story.oka('resume', 'mend')).code).toBe(0);
    const again = await story.ended('mend-again');
    expect(again.status).toBe('done');
    expect(again.page).toContain('✅ Done');
    expect(story.deskText('log.txt')).toBe('one\n');
  });
});
