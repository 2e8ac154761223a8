/** Runs of a home that take turns: seen by people, and resumed by the process that has the pen. */
import { describe, expect, it } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { Graph } from '../../../src/core/schema/graph.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const never = new AbortController().signal;
const graph = Graph.parse({
  id: 'billing',
  key: '{{input.customer}}',
  nodes: [{ kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Send it?' } }],
});

describe('runs with the same key in a home', () => {
  it('wait for their turn, say so, and go on after a restart', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await withHost(home, never, async ({ engine }) => {
      for (const id of ['first', 'second']) await (await engine.start(graph, { id, input: { customer: 7 } })).done;
    });
    expect((await oka('status', '--dir', folder.dir)).out).toContain(
      'waits for its turn: at most 1 run of billing/7 at once',
    );
    expect((await oka('explain', 'second', '--dir', folder.dir)).out).toContain('waits for its turn');
    await withHost(home, never, async ({ engine }) => {
      await (await engine.answer('first', 'first.ask.0.w0', { verdict: 'answered', text: 'yes' })).done;
      await expect
        .poll(async () => [...((await engine.stateOf('second'))?.waits.keys() ?? [])])
        .toEqual(['second.ask.0.w0']);
    });
  });
});
