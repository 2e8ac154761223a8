import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awaitReply, openReplies, refusal, wantReply } from '../../../src/kit/requests/request-replies.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { temporaryFolder } from '../../support/cli.ts';

const { signal } = new AbortController();

describe('replies to requests', () => {
  it('reach whoever waits for them, and are gone once read', async () => {
    using folder = temporaryFolder();
    wantReply(folder.dir, 'a');
    const waiting = awaitReply(folder.dir, 'a', 10_000, signal);
    openReplies(folder.dir).send(
      'a',
      refusal(new OkaError('run-is-over', 'it is done already', { fix: 'Do it again' })),
    );
    expect(await waiting).toEqual({
      refused: { code: 'run-is-over', message: 'it is done already', fix: 'Do it again' },
    });
    expect(readdirSync(folder.dir)).toEqual([]);
  });

  it('are not stored for anybody who does not want one, or not any more', async () => {
    using folder = temporaryFolder();
    const replies = openReplies(join(folder.dir, 'none'));
    replies.send('a', { done: null });
    replies.sweep(Date.now());
    wantReply(folder.dir, 'b');
    expect(await awaitReply(folder.dir, 'b', 1, signal)).toBeNull();
    openReplies(folder.dir).send('b', { done: null });
    expect(readdirSync(folder.dir)).toEqual([]);
  });

  it('that nobody has read for an hour are removed', () => {
    using folder = temporaryFolder();
    for (const [name, age] of Object.entries({ old: 3700, young: 60 })) {
      writeFileSync(join(folder.dir, `${name}.json`), '{}');
      utimesSync(join(folder.dir, `${name}.json`), Date.now() / 1000 - age, Date.now() / 1000 - age);
    }
    openReplies(folder.dir).sweep(Date.now());
    expect(existsSync(join(folder.dir, 'young.json'))).toBe(true);
    expect(readdirSync(folder.dir)).toEqual(['young.json']);
  });
});
