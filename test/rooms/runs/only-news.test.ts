import { describe, expect, it } from 'vitest';
import { onlyNews } from '../../../src/rooms/runs/run-page/browser/only-news.ts';

describe('RESULT.md on the page of its run', () => {
  it('loses its title and the sections that the page shows itself', () => {
    const text =
      '# ✅ Totals\n\nDone in 2 steps.\n\n## Steps\n\n✅ one\n\n## Cost and time\n\n3 s\n\n## Notes\n\nend\n';
    expect(onlyNews(text)).toBe('Done in 2 steps.\n\n## Steps\n\n✓ one\n\n## Notes\n\nend\n');
  });

  it('leaves what a command printed as it is, with headings and emoji in it', () => {
    const output = '````text\n# title\n## Files\n✅ passed\n```\n## Evidence\n````';
    const text = `# A run\n\n${output}\n\n  ~~~\n  ## Files\n  🚀 up\n  ~~~\n\nIt said \`✅ ok\` and ❌ no.\n`;
    expect(onlyNews(text)).toBe(`${output}\n\n  ~~~\n  ## Files\n  🚀 up\n  ~~~\n\nIt said \`✅ ok\` and ✕ no.\n`);
  });

  it('leaves out a whole section, with the fences in it', () => {
    expect(onlyNews('# A\n\n## Evidence\n\n```\n## Steps\n```\n\n## Steps\n\nb')).toBe('## Steps\n\nb');
  });
});
