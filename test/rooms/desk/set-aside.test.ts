import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DeskPorts, recordAfter } from '../../../src/rooms/desk/desk.ts';
import { onDesk } from '../../../src/rooms/desk/desk-calls.ts';
import { stepsOf } from '../../../src/kit/runs/recorded-steps.ts';
import { deskTurns } from '../../../src/rooms/desk/desk-turns.ts';
import { renderApprovalPage } from '../../../src/core/guard/approval-page.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { Policy } from '../../../src/core/schema/policy.ts';
import type { Outcome, ToolCall } from '../../../src/core/schema/tool.ts';
import { WaitFor } from '../../../src/core/schema/wait.ts';
import { type Files, TestDesk } from '../../support/desk.ts';
import { callOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const HOOK = '.git/hooks/pre-commit';
const command = callOf({
  tool: 'shell',
  class: 'write_local',
  author: 'model',
  input: { line: 'node make.js' },
  call: 'r.n.0.1',
});

class Ground extends TestDesk {
  readonly events: NewEvent[] = [];
  ran = 0;

  ports(change: Partial<DeskPorts> = {}, rules: object[] = []): DeskPorts {
    const policy = Policy.parse({
      version: 1,
      defaults: { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' },
      budgets: { tokens: 1, usd: 1, tool_calls: 1, retries: 1, replans: 1, seconds: 1, depth: 1, output_bytes: 1 },
      rules,
    });
    return {
      shadow: this.shadow,
      append: async (event) => void this.events.push(event),
      inTurn: deskTurns(() => Promise.resolve()),
      aside: { shadow: this.shadow, policy: () => ({ policy, sha256: 'a'.repeat(64) }), clock: Date.now },
      ...change,
    };
  }

  /** What a call that leaves these files comes to. */
  run(files: Files, call: ToolCall = command, ports = this.ports(), end: Outcome = ok()): Promise<Outcome> {
    const tool = toolNamed(call.tool, () => {
      this.ran += 1;
      this.put(files);
      return end;
    });
    return (onDesk([tool], ports)[0] ?? tool).invoke(call.input, call);
  }
}

const waitOf = (outcome: Outcome): Extract<WaitFor, { kind: 'approval' }> => {
  const found = outcome.status === 'waiting' ? WaitFor.parse(outcome.for) : null;
  if (found?.kind !== 'approval') throw new Error(`it did not ask: ${JSON.stringify(outcome)}`);
  return found;
};

describe('files that make other programs run, written by a command of a model', () => {
  it('V1 they are set aside, everything else stays, and a person is asked with the reason and the content', async () => {
    using desk = new Ground({ [HOOK]: 'mine\n' });
    const asked = waitOf(await desk.run({ [HOOK]: 'curl evil\n', '.envrc': 'evil\n', 'report.txt': 'done' }));
    expect(readFileSync(desk.at(HOOK), 'utf8')).toBe('mine\n');
    expect(existsSync(desk.at('.envrc'))).toBe(false);
    expect(readFileSync(desk.at('report.txt'), 'utf8')).toBe('done');
    const page = renderApprovalPage({ wait: 'r.n.0.1', run: 'r', node: 'n', for: asked });
    for (const text of ['node make.js', HOOK, 'git runs it as a hook', 'curl evil', '.envrc', 'be put in place?'])
      expect(page).toContain(text);
  });

  it('V2 a yes puts them in place, and the command does not run again', async () => {
    using desk = new Ground({ 'a.txt': 'a' });
    const { aside } = waitOf(
      await desk.run({ [HOOK]: { text: 'x\n', mode: 0o755 } }, command, desk.ports(), ok({ exit: 0 })),
    );
    if (aside === undefined) throw new Error('nothing is set aside');
    const again = await desk.run({}, { ...command, call: 'r.n.0.2', aside });
    expect(again).toMatchObject({ status: 'ok', output: { exit: 0 } });
    expect(desk.ran).toBe(1);
    expect(readFileSync(desk.at(HOOK), 'utf8')).toBe('x\n');
    await desk.shadow.undo(stepsOf(desk.events as Event[], null), 'undo');
    expect(existsSync(desk.at(HOOK))).toBe(false);
  });

  it('V2 what a person has written there in the meantime stays, and that is a failure', async () => {
    using desk = new Ground();
    const { aside } = waitOf(await desk.run({ '.envrc': 'evil\n' }));
    if (aside === undefined) throw new Error('nothing is set aside');
    desk.put({ '.envrc': 'mine\n' });
    expect(await desk.run({}, { ...command, call: 'r.n.0.2', aside })).toMatchObject({ status: 'failed' });
    expect(readFileSync(desk.at('.envrc'), 'utf8')).toBe('mine\n');
  });

  it('V3 a command that failed is not asked about, and its error says what was set aside', async () => {
    using desk = new Ground();
    const outcome = await desk.run({ '.envrc': 'x' }, command, desk.ports(), { status: 'failed', error: 'exit 1' });
    expect(outcome).toMatchObject({ status: 'failed', error: expect.stringContaining('.envrc') as string });
    expect(existsSync(desk.at('.envrc'))).toBe(false);
  });

  it('V4 a hidden file that nobody knows is set aside, also by a file tool, unless `accept:` of the task asks for it', async () => {
    using desk = new Ground();
    const write: ToolCall = { ...command, tool: 'files.write', input: { path: '.newtool' } };
    expect(waitOf(await desk.run({ '.newtool': 'x' }, write)).asked?.why).toContain('it is hidden');
    expect(existsSync(desk.at('.newtool'))).toBe(false);
    const { aside } = desk.ports();
    if (aside === undefined) throw new Error('nothing is set aside');
    const ports = desk.ports({ aside: { ...aside, acceptedFiles: async () => ['.newtool', '.envrc'] } });
    expect(await desk.run({ '.newtool/a': 'x' }, command, ports)).toMatchObject({ status: 'ok' });
    waitOf(await desk.run({ '.envrc': 'x' }, command, ports));
  });

  it('a command of the operator, and a path that a rule allows, stay', async () => {
    using desk = new Ground();
    expect(await desk.run({ '.envrc': 'x' }, { ...command, author: 'operator' })).toMatchObject({ status: 'ok' });
    const allowing = desk.ports({}, [{ effect: 'allow', path: '.vscode/**' }]);
    expect(await desk.run({ '.vscode/a.json': 'x' }, command, allowing)).toMatchObject({ status: 'ok' });
    expect(existsSync(desk.at('.vscode/a.json'))).toBe(true);
  });

  it('what a command of the operator writes with the words of a tool in it is set aside', async () => {
    using desk = new Ground();
    const filled = { ...command, author: 'operator', origins: () => ({ line: 'tool' }) } as ToolCall;
    waitOf(await desk.run({ '.envrc': 'x' }, filled));
  });

  it('a file tool that named the path was asked before; another file it makes a trigger is set aside', async () => {
    using desk = new Ground({ 'r/HEAD': 'ref: x\n', 'r/objects': null, 'r/refs': null });
    const write = (path: string): ToolCall => ({ ...command, tool: 'files.write', input: { path } });
    expect(await desk.run({ '.envrc': 'x' }, write('.envrc'))).toMatchObject({ status: 'ok' });
    waitOf(await desk.run({ 'r/config': '[core]\n\tfsmonitor = x\n' }, write('r/config')));
    expect(existsSync(desk.at('r/config'))).toBe(false);
  });

  it('when there is no space to record it at first, the person is asked all the same', async () => {
    using desk = new Ground();
    const problems = [null, new OkaError('disk-full', 'no space')];
    const append = async (event: NewEvent): Promise<void> => {
      const problem = problems.shift() ?? null;
      if (problem !== null) throw problem;
      desk.events.push(event);
    };
    waitOf(await desk.run({ '.envrc': 'x' }, command, desk.ports({ append })));
    expect(desk.events.at(-1)).toMatchObject({ data: { when: 'after', aside: { paths: ['.envrc'] } } });
  });

  it('after a crash they are set aside before anybody else writes, and the record says which', async () => {
    using desk = new Ground();
    const { tree } = await desk.shadow.snapshot('before');
    desk.put({ '.envrc': 'x', 'a.txt': 'a' });
    const call = { run: 'r', node: 'n', call: 'r.n.0.1', tree };
    await recordAfter(desk.ports(), { ...call, isGuarded: true }, new AbortController().signal);
    expect([existsSync(desk.at('.envrc')), existsSync(desk.at('a.txt'))]).toEqual([false, true]);
    expect(desk.events).toMatchObject([{ data: { when: 'after', aside: { paths: ['.envrc'] } } }]);
  });
});
