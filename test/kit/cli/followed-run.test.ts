import { describe, expect, it } from 'vitest';
import { type FollowedRun, joinPieces } from '../../../src/kit/cli/followed-run.ts';

const text = (run: string, words: string): FollowedRun => ({ live: { run, step: 'reply', kind: 'text', text: words } });
const tokens = (run: string): FollowedRun => ({ live: { run, step: 'reply', kind: 'tokens', count: 3 } });
const end = (run: string): FollowedRun => ({ live: { run, step: 'reply', kind: 'end' } });
const textsOf = (seen: readonly FollowedRun[]): string[] =>
  seen.flatMap((each) => ('live' in each && 'text' in each.live ? [each.live.text] : []));

describe('what is shown of a run that is followed', () => {
  it('the pieces that a model writes are joined to lines, each run by itself', () => {
    const seen: FollowedRun[] = [];
    const { emit } = joinPieces((data) => seen.push(data));
    for (const piece of ['On', 'ce upon ', 'a time\nthere', ' was'])
      for (const run of ['a', 'b']) {
        emit(text(run, piece));
        emit(tokens(run));
      }
    expect(textsOf(seen)).toEqual(['Once upon a time\n', 'Once upon a time\n']);
    emit(end('a'));
    expect(textsOf(seen).slice(2)).toEqual(['there was']);
  });

  it('a line that has no end comes before the next event of its run, or at last', () => {
    const seen: FollowedRun[] = [];
    const { emit, flush } = joinPieces((data) => seen.push(data));
    emit(text('a', 'to be '));
    emit(text('a', 'continued'));
    emit(text('b', 'and so on'));
    const event = { run: 'a', type: 'call.ended' } as Extract<FollowedRun, { event: unknown }>['event'];
    emit({ event });
    expect(textsOf(seen)).toEqual(['to be continued']);
    expect(seen.at(-1)).toEqual({ event });
    flush();
    flush();
    expect(textsOf(seen)).toEqual(['to be continued', 'and so on']);
  });
});
