import { statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { socketFile, socketKeyFile } from '../../../src/kit/socket/live-socket.ts';
import { retrieveFromWorker, serveRecall } from '../../../src/rooms/memory/recall-socket.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { RetrieveRequest } from '../../../src/rooms/memory/recall/background-recall.ts';
import { retrieve } from '../../../src/rooms/memory/recall/search-memory.ts';
import { createTokenCounter } from '../../../src/kit/text/tokens.ts';
import { memoryHome, recallOf, said } from '../../support/memory.ts';

const request: RetrieveRequest = { asked: { query: 'puppy', limit: 10 }, budget: 100, isCounted: true };

describe('the memory of a worker', () => {
  it('answers other processes as they would answer themselves', async () => {
    await using home = await memoryHome();
    await home.append(said('1', 'I adopted a puppy called Rex ✓'), said('2', 'The printer is empty'));
    const recall = await recallOf(home);
    const at = homeAt(home.dir);
    const counter = await createTokenCounter('openai');
    const stop = await serveRecall(at, {
      retrieve: ({ asked, budget }) => retrieve(recall, asked, { budget, counter }),
    });
    expect(statSync(socketFile(at, 'memory')).mode & 0o777).toBe(0o600);
    const answered = await retrieveFromWorker(at, request);
    expect(answered).toEqual(await retrieve(recall, request.asked, { budget: 100, counter }));
    expect(answered?.items[0]).toMatchObject({ id: '1', text: 'I adopted a puppy called Rex ✓' });
    await stop();
    expect(await retrieveFromWorker(at, request)).toBeNull();
    await recall.close();
  });

  it('answers nobody without the key, and a failure is no answer', async () => {
    await using home = await memoryHome();
    const at = homeAt(home.dir);
    let asked = 0;
    const stop = await serveRecall(at, {
      retrieve: () => {
        asked += 1;
        return Promise.reject(new Error('no index'));
      },
    });
    expect(await retrieveFromWorker(at, request)).toBeNull();
    expect(asked).toBe(1);
    writeFileSync(socketKeyFile(at, 'memory'), 'x'.repeat(32));
    expect(await retrieveFromWorker(at, request)).toBeNull();
    expect(asked).toBe(1);
    await stop();
  });
});
