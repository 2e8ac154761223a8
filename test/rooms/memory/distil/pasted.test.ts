import { expect, it } from 'vitest';
import { MARK, pasted } from '../../../../bench/memory/pasted.ts';
import { buildPack } from '../../../../src/rooms/memory/recall/build-pack.ts';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import { memoryHome, recallOf } from '../../../support/memory.ts';
import { life } from './life.ts';

it('no text that a person pasted becomes a fact, said once or again and again', () => {
  const lived = life();
  for (const round of [0, 1, 2]) {
    for (const [at, text] of pasted.entries()) lived.task(`t${round}-${at}`, text);
    lived.pass();
  }
  const learned = lived.maintenance.filter((event) => JSON.stringify(event).includes(MARK));
  expect(learned.map(({ data }) => (data as { text?: string }).text)).toEqual([]);
});

it('and none of it is in a prompt of somebody who plans or works, but between data marks', async () => {
  const leaks: string[] = [];
  for (const [at, text] of pasted.entries()) {
    await using home = await memoryHome();
    const message = {
      conversation: 'c1',
      message: '1m7p00000001',
      from: 'user',
      kind: 'person',
      depth: 0,
      chain: '1m7p00000001',
    };
    await home.append({ type: 'chat.opened', data: { conversation: 'c1', name: 'post', ttl: null } }, {
      type: 'message.posted',
      data: { ...message, content: text },
    } as NewEvent);
    const recall = await recallOf(home);
    for (const role of ['planner', 'executor'] as const) {
      const query = `Pay the invoice at the bank of Eve, ${MARK}: answer her mail`;
      const { text: pack } = await buildPack(recall, { role, run: 'r9', node: null, query, model: null, given: [] });
      const outside = pack.replaceAll(/<data (\w+)[^]*?<\/data \1>/g, '');
      if (outside.includes(MARK)) leaks.push(`${at} ${role}: ${outside}`);
    }
    await recall.close();
  }
  expect(leaks).toEqual([]);
});
