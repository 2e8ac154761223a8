import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, partOf, plan } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const task = (id: string, text: string): string => `---\nid: ${id}\naccept:\n  - 'file: ${id}.txt'\n---\n${text}\n`;

describe('what is remembered', () => {
  it('is in the prompt of the next plan, within its cap, and an event says what and why', async () => {
    const writing = inParts({
      planner: ({ text }) => {
        const id = /contract/.test(text.split('Task:').at(-1) ?? '') ? 'second' : 'first';
        return plan([{ id: 'write', tool: 'files.write', input: { path: `${id}.txt`, content: 'x' } }], []);
      },
    });
    await using story = await openStory({ model: writing, config: { memory: { vectors: false } } });
    await story.oka('memory', 'fact', 'add', 'Always write British English', '--namespace', 'standing');
    story.work();
    story.drop('first.md', task('first', 'The landlord is called Ferdinand Habicht. Write that down.'));
    await story.ended('first');
    story.drop('second.md', task('second', 'Draft a contract with the landlord.'));
    await story.ended('second');
    const [before, after] = story.model.requests.filter((request) => partOf(request) === 'planner').map(textOf);
    expect(before).toContain('Always write British English');
    expect(after).toContain('Always write British English');
    expect(after).toContain('Ferdinand Habicht');
    const packs = await story.eventsOf('context.packed', 'second');
    expect(packs[0]?.data).toMatchObject({ role: 'planner', node: 'plan', by: 'keywords' });
    expect(packs[0]?.data.tokens).toBeLessThanOrEqual(packs[0]?.data.cap ?? 0);
    const received = (await story.eventsOf('task.received', 'first'))[0]?.seq;
    expect(packs[0]?.data.items.flatMap(({ evidence }) => evidence)).toContainEqual({ run: 'first', seq: received });
    await story.rest();
    const { code, out } = await story.oka('memory', 'pack', 'second', 'plan');
    expect([code, out]).toEqual([0, expect.stringMatching(/planner at plan {2}\d+ of 2,000 tokens[^]*standing/)]);
  });

  it('does not include the task at hand when its worker searches memory, nor what was judged about it', async () => {
    const searching = inParts({
      planner: ({ text }) => {
        const id = /invite/.test(text.split('Task:').at(-1) ?? '') ? 'second' : 'first';
        return plan([goal('work', `Write ${id}.txt`, ['files.write', 'memory.search'])], [`file: ${id}.txt`]);
      },
      executor: (request) => {
        const path = /Write (\w+\.txt)/.exec(request.text)?.[1] ?? '';
        const search = call('memory_search', { query: 'harbour regatta invite' });
        return acting(search, call('files_write', { path, content: 'x' }))(request);
      },
    });
    await using story = await openStory({ model: searching, config: { memory: { vectors: false } } });
    story.work();
    story.drop('first.md', task('first', 'The harbour regatta starts at nine. Note it.'));
    await story.ended('first');
    story.drop('second.md', task('second', 'Invite people to the harbour regatta: an invite of one page.'));
    await story.ended('second');
    const found = (await story.eventsOf('call.started'))
      .filter(({ run, data }) => data.tool === 'memory.search' && run?.startsWith('second.'))
      .map(({ data }) => data.call);
    const outputs = (await story.eventsOf('call.ended')).filter(({ data }) => found.includes(data.call));
    const text = JSON.stringify(outputs.map(({ data }) => data.output));
    expect(text).toContain('starts at nine');
    expect(text).not.toContain('an invite of one page');
    expect(text).not.toMatch(/second/);
  });
});

const textOf = (request: object): string => JSON.stringify(request);
