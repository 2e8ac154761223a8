import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../src/schema/tool.ts';
import { authorize, bindingOf, cautious } from '../../../src/tools/middleware/authorize.ts';
import { callOf, ok } from '../../support/engine-fakes.ts';

const write = callOf({ tool: 'write', class: 'write_local', input: { path: 'x' } });
const through = (call: ToolCall, judge?: Parameters<typeof authorize>[0]) =>
  authorize(judge).call?.(call, async () => ok('made'));

describe('authorize', () => {
  it.each([
    ['read', 'ok'],
    ['write_local', 'waiting'],
    ['external_mutation', 'waiting'],
    ['deny', 'denied'],
  ] as const)('by default %s is %s', async (effect, status) => {
    expect(await through(callOf({ class: effect }))).toMatchObject({ status });
  });

  it('asks with the words a person needs, bound to exactly this call', async () => {
    expect(await through(write)).toEqual({
      status: 'waiting',
      for: { kind: 'approval', binding: bindingOf(write), text: 'write {"path":"x"} (write_local: it changes files)' },
    });
    const long = callOf({ ...write, input: 'x'.repeat(50_000) });
    const outcome = await through(long);
    expect(JSON.stringify(outcome).length).toBeLessThan(20_000);
  });

  it('an approval of this call lets it through, one of another does not', async () => {
    expect(await through({ ...write, approval: bindingOf(write) })).toEqual(ok('made'));
    const others: Partial<ToolCall>[] = [
      { run: 's' },
      { node: 'm' },
      { tool: 'send' },
      { class: 'external_mutation' },
      { input: { path: 'y' } },
      { key: 'k' },
    ];
    for (const other of others)
      expect(await through({ ...write, ...other, approval: bindingOf(write) })).toMatchObject({ status: 'waiting' });
  });

  it('no approval helps against a refusal', async () => {
    const never = () => ({ effect: 'deny', why: 'never' }) as const;
    expect(await through({ ...write, approval: bindingOf(write) }, never)).toEqual({
      status: 'denied',
      error: 'write: never',
    });
  });

  it('a state that asks about everything asks whatever the policy says', async () => {
    const asking = callOf({ bounds: { ...callOf().bounds, ask: true } });
    expect(await through(asking)).toMatchObject({ status: 'waiting' });
    expect(await through({ ...asking, approval: bindingOf(asking) })).toEqual(ok('made'));
  });

  it('cautious says why', () => {
    expect(cautious(callOf({ class: 'external_mutation' }))).toEqual({
      effect: 'ask',
      why: 'it may change something outside',
    });
  });
});
