import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sharedArtifacts } from '../../../src/rooms/fleet/fenced-stores.ts';
import { openArtifacts } from '../../../src/core/ledger/artifact-store.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { ArtifactStore } from '../../../src/core/schema/ports.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'oka-named-'))));
afterEach(() => rmSync(folder, { recursive: true }));

type Setting = ReturnType<typeof sharedArtifacts> & { local: ArtifactStore; stored: Map<string, Buffer> };

/** The object store refuses the first `failures` files. */
function setting(failures = 0): Setting {
  const local = openArtifacts(folder, (text) => text);
  const stored = new Map<string, Buffer>();
  const put = async (content: Uint8Array): Promise<string> => {
    failures -= 1;
    if (failures >= 0) throw new Error('no space');
    const sha256 = hash('sha256', content);
    stored.set(sha256, Buffer.from(content));
    return sha256;
  };
  const files = { put, get: () => Promise.reject(new Error('nothing is fetched')) };
  return { ...sharedArtifacts(local, files), local, stored };
}

const naming = (...values: unknown[]): Event[] =>
  values.map((value) => ({ type: 'call.ended', data: { value } }) as unknown as Event);

it('what is stored stays at home until an event of the fleet names it, whatever the form of the name', async () => {
  const { artifacts, share, stored } = setting();
  const [, text, plan] = await Promise.all(['private', 'text', 'plan'].map((body) => artifacts.put(body)));
  expect(stored.size).toBe(0);
  await share(naming({ output: text }, `plan-${plan?.sha256}`, 'f'.repeat(64), `${'a'.repeat(64)}b`));
  expect([...stored.values()].map(String)).toEqual(['text', 'plan']);
});

it('what a named one names goes with it, and so does one that an earlier process stored', async () => {
  const picture = await openArtifacts(folder, (text) => text).put(Buffer.from([0, 255, 7]));
  const { artifacts, share, stored } = setting();
  const prompt = await artifacts.put(JSON.stringify({ picture: picture.sha256 }));
  await share(naming(prompt.sha256));
  expect(stored.get(picture.sha256)).toEqual(Buffer.from([0, 255, 7]));
});

it('it resolves when all is stored, though the object store refused it at first, and nothing is sent twice', async () => {
  const { artifacts, share, stored } = setting(1);
  const { sha256 } = await artifacts.put('text');
  await share(naming(sha256));
  expect(stored.size).toBe(1);
  stored.clear();
  await share(naming(sha256));
  expect(stored.size).toBe(0);
});
