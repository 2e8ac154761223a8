import { expect, it } from 'vitest';
import { comparePage } from '../../../src/rooms/runs/compare-page/page.ts';

it('the page without runs, or with one, is no error: it says what to do', async () => {
  const { query } = comparePage;
  for (const given of [{}, { a: 'r1' }]) {
    const answer = await query.read({ params: query.params.parse(given) } as never);
    expect(query.answer.parse(answer)).toBeNull();
  }
});
