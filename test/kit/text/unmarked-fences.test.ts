import { expect, it } from 'vitest';
import { hintsAtUnmarkedFences } from '../../../src/kit/text/unmarked-fences.ts';

it('a block without a language is pointed out with its line; others, and empty ones, are not', () => {
  const body =
    '# A\n\n```\nmake\n```\n\n```bash\ntrue\n```\n\n~~~text\nx\n~~~\n\n```\n```\n\n1. b\n\n   ~~~\n   ls\n   ~~~\n';
  expect(hintsAtUnmarkedFences(body, 5)).toEqual([
    expect.stringMatching(/^line 7: .*```bash/),
    expect.stringMatching(/^line 24: /),
  ]);
  expect(hintsAtUnmarkedFences('```bash\ntrue\n```\n', 1)).toEqual([]);
});
