/** A task that an agent has started in a conversation stays in its home; the same text of a person goes to the fleet. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newChatId } from '../../src/rooms/chat/model/chat-ids.ts';
import { submitChat } from '../../src/rooms/chat/submit-chat.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { answerOf } from '../support/chat-story.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { forge, smith } from '../support/forge-speaker.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';
import { openWireServer } from '../support/wire-server.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a task that an agent has started', () => {
  it('is done where its conversation is, and neither it nor a reply is claimed in the fleet', async () => {
    const text = 'Write sword.txt with the word steel.';
    const speak = forge(text);
    const model = await openWireServer((request) => answerOf(speak, request));
    await using cluster = await startCluster({ size: 1 });
    await using homes = await startFleetHomes(cluster, ['h0', 'h1'], {
      prepare: (home) => prepare(home, `${model.url}/v1`),
    });
    const [here, there] = homes.list;
    if (here === undefined || there === undefined) throw new Error('two homes are needed');
    await until(homes.list, 'both homes are members', () =>
      homes.list.every(({ log }) => log().includes('member of the fleet')),
    );
    submitChat(here.home, { kind: 'chat_open', conversation: 'c-yard', name: 'yard' });
    const message = newChatId();
    submitChat(here.home, { kind: 'chat_post', conversation: 'yard', message, content: '@gendry make a sword' });
    await until(homes.list, 'the end of the task', async () =>
      (await endedAt([here])).some((run) => /^asked-[^.]*$/.test(run)),
    );
    const accept = ['contains: sword.txt steel'];
    addTask(join(here.home.workspace, 'inbox'), { text, fields: { id: 'given', accept } });
    await until(homes.list, 'the task in the queue', async () =>
      (await eventsAt(here)).some(({ type, run }) => type === 'task.sent' && run === 'given'),
    );
    await until(homes.list, 'its end', async () => (await endedAt(homes.list)).includes('given'));
    const inFleet = (await eventsOf(homes.list)).flatMap(({ type, run }) =>
      type === 'task.sent' || type === 'run.claimed' ? run : [],
    );
    expect(new Set(inFleet)).toEqual(new Set(['given']));
    const seenThere = (await eventsAt(there)).filter(({ run }) => /^(?:asked|chat)-/.test(run ?? ''));
    expect(seenThere).toEqual([]);
    await model.close();
  });
});

function prepare(home: Home, base_url: string): void {
  const models = { use: 'custom:story', settings: { 'custom:story': { base_url } } };
  writeFileSync(home.config, JSON.stringify({ memory: { cap: 0, vectors: false }, models }));
  const file = join(home.oka, 'rules', 'agents', 'gendry.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, smith);
}

const eventsOf = async (homes: readonly FleetHome[]): Promise<Event[]> =>
  (await Promise.all(homes.map(eventsAt))).flat();

const endedAt = async (homes: readonly FleetHome[]): Promise<string[]> =>
  (await eventsOf(homes)).flatMap(({ type, run }) => (type === 'run.ended' && run !== null ? run : []));
