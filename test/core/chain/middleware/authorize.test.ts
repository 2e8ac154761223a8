import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../../src/core/schema/tool.ts';
import {
  type ApprovalPorts,
  authorize,
  bindingHash,
  cautiousJudge,
  confirm,
} from '../../../../src/core/chain/middleware/authorize.ts';
import { callOf, ok } from '../../../support/engine-fakes.ts';

const write = callOf({ tool: 'write', class: 'write_local', input: { path: 'x' } });
const EXPIRES = '2030-01-01T00:00:00.000Z';
/** The attempt that brings the answer to the question that `asked` led to. */
const next = (asked: ToolCall): ToolCall => ({
  ...asked,
  attempt: asked.attempt + 1,
  call: asked.call.replace(/\d+$/, String(asked.attempt + 1)),
  approval: bindingHash(asked),
});
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
      for: {
        kind: 'approval',
        binding: bindingHash(write),
        text: 'write {"path":"x"} (write_local: it changes files)',
      },
    });
    const long = callOf({ ...write, input: 'x'.repeat(50_000) });
    const outcome = await through(long);
    expect(JSON.stringify(outcome).length).toBeLessThan(20_000);
  });

  it('an answer for the whole run lets the call through as allowed for the run, so that it gets its hosts', async () => {
    let seen: ToolCall | null = null;
    const judge = (isForRun: boolean) => authorize(() => ({ effect: 'allow', why: '', isForRun }));
    for (const isForRun of [true, false]) {
      await judge(isForRun).call?.(next(write), async (call) => {
        seen = call;
        return ok('made');
      });
      expect(seen).toMatchObject({ approval: null, isAllowedForRun: isForRun });
    }
  });

  it('an approval of this call lets it through, one of another does not', async () => {
    const answered = next(write);
    expect(await through(answered)).toEqual(ok('made'));
    const others: Partial<ToolCall>[] = [
      { run: 's' },
      { node: 'm' },
      { tool: 'send' },
      { class: 'external_mutation' },
      { input: { path: 'y' } },
      { key: 'k' },
      { author: 'model' },
    ];
    for (const other of others) expect(await through({ ...answered, ...other })).toMatchObject({ status: 'waiting' });
  });

  it('Z1 an approval is good for the attempt behind the one that asked, and for no other', async () => {
    const approval = bindingHash(write);
    for (const attempt of [1, 3, 4])
      expect(await through({ ...write, attempt, call: `r.n.0.${attempt}`, approval })).toMatchObject({
        status: 'waiting',
      });
    expect(await through({ ...next(write), call: 'r.n.1.2' })).toMatchObject({ status: 'waiting' });
  });

  it('Z1 a call within a call is approved by its number in the attempt behind the one that asked', async () => {
    const asked = { ...write, call: 'r.n.0.1.2' };
    const again = { ...asked, approval: bindingHash(asked) };
    expect(await through({ ...again, call: 'r.n.0.2.2' })).toEqual(ok('made'));
    for (const call of ['r.n.0.2.1', 'r.n.0.3.2', 'r.n.0.1.2', 'r.n.1.2.2', 'r.n.0.2', 'elsewhere'])
      expect(await through({ ...again, call })).toMatchObject({ status: 'waiting' });
  });

  it('passes no approval on to a call that needs none, so that it can be tried again', async () => {
    const seen: (string | null)[] = [];
    const layer = authorize(() => ({ effect: 'allow', why: '' }));
    await layer.call?.(next(write), async ({ approval }) => {
      seen.push(approval);
      return ok('made');
    });
    expect(seen).toEqual([null]);
  });

  it('no approval helps against a refusal', async () => {
    const never = () => ({ effect: 'deny', why: 'never' }) as const;
    expect(await through(next(write), never)).toEqual({
      status: 'denied',
      error: 'write: never',
    });
  });

  it('a state that asks about everything asks whatever the policy says', async () => {
    const asking = callOf({ bounds: { ...callOf().bounds, ask: true } });
    expect(await through(asking)).toMatchObject({ status: 'waiting' });
    expect(await through(next(asking))).toEqual(ok('made'));
  });

  /** Everything around a call as a test says, and an answer that was given. */
  const asking = (
    now: { policy?: string; files?: string; clock?: number; answered?: boolean } = {},
  ): ApprovalPorts => ({
    around: async () => ({
      policy: now.policy ?? 'p',
      dir: '.',
      env: ['PATH'],
      files: [{ path: 'x.sh', sha256: now.files ?? 'f' }],
    }),
    answered: async () => (now.answered === false ? null : { expires: EXPIRES }),
    expiry: () => EXPIRES,
    clock: () => now.clock ?? 0,
    show: (call, why) => ({
      tool: call.tool,
      class: call.class,
      author: call.author,
      command: 'x',
      why,
      env: [],
      values: [],
      changes: [],
      files: [],
      odd: [],
    }),
  });

  async function answeredCall(): Promise<ToolCall> {
    const outcome = await authorize(cautiousJudge, asking()).call?.(write, async () => ok());
    if (outcome?.status !== 'waiting' || outcome.for.kind !== 'approval') throw new Error('nothing is asked');
    expect(outcome.for).toMatchObject({ expires: EXPIRES, asked: { why: 'it changes files' } });
    return { ...next(write), approval: outcome.for.binding };
  }

  it.each([
    ['nothing has changed', {}, 'ok'],
    ['the policy has changed', { policy: 'q' }, 'waiting'],
    ['a file has changed', { files: 'g' }, 'waiting'],
    ['its time is over', { clock: Date.parse(EXPIRES) }, 'waiting'],
    ['the ledger has no such answer', { answered: false }, 'waiting'],
  ])('Z2 when it comes in, and again right before the tool acts: %s', async (_, now, status) => {
    const call = await answeredCall();
    expect(await authorize(cautiousJudge, asking(now)).call?.(call, async () => ok())).toMatchObject({ status });
    expect(await confirm(asking(now)).call?.(call, async () => ok())).toMatchObject({ status });
  });

  it('Z2 what needs no approval is not looked at again', async () => {
    expect(await confirm(asking({ answered: false })).call?.(write, async () => ok())).toEqual(ok());
    expect(confirm()).toEqual({ name: 'confirm' });
  });

  it('what cannot be shown to a person is refused', async () => {
    const blind: ApprovalPorts = { ...asking(), show: () => null };
    expect(await authorize(cautiousJudge, blind).call?.(write, async () => ok())).toMatchObject({ status: 'denied' });
  });

  it('cautious says why', () => {
    expect(cautiousJudge(callOf({ class: 'external_mutation' }))).toEqual({
      effect: 'ask',
      why: 'it may change something outside',
    });
  });
});
