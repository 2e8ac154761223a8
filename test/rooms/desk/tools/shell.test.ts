import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/core/schema/command.ts';
import type { Json } from '../../../../src/core/schema/json.ts';
import { type ShellOptions, shellTool } from '../../../../src/rooms/desk/tools/shell.ts';
import { callOf, errorOf, ground, put, use } from './support.ts';

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };
const { desk, outside, artifacts } = ground();
const shellWith = (options: Partial<ShellOptions> = {}) => shellTool({ desk, env, artifacts, ...options });
const shell = shellWith();
symlinkSync(outside, join(desk, 'way-out'));

describe('a command that ends well', () => {
  it('gives its output, from argv and from a line', async () => {
    const output = { exit: 0, signal: null, stdout: 'a b', stderr: '' };
    expect(await use(shell, { argv: ['printf', '%s', 'a b'] })).toMatchObject({ status: 'ok', output });
    expect(await use(shell, { line: 'printf "%s %s" a b' })).toMatchObject({ status: 'ok', output });
  });

  it('says what it cost', async () => {
    const outcome = await use(shell, { line: 'echo out; echo error >&2' });
    expect(outcome).toMatchObject({ usage: { ms: expect.any(Number), output_bytes: 10 } });
    expect(outcome).not.toHaveProperty('artifacts');
  });

  it('starts in the desk, or in a folder of it', async () => {
    mkdirSync(join(desk, 'a/b'), { recursive: true });
    expect(await use(shell, { line: 'pwd -P' })).toMatchObject({ output: { stdout: `${realpathSync(desk)}\n` } });
    expect(await use(shell, { line: 'pwd -P', dir: 'a/b' })).toMatchObject({ output: { stdout: `${desk}/a/b\n` } });
  });

  it('sees no variable of ours', async () => {
    expect(await use(shell, { argv: ['env'] })).toMatchObject({
      output: { stdout: expect.stringMatching(/^(PATH=.*\n|LANG=.*\n){2}$/) },
    });
  });
});

describe('a command with an idempotency key', () => {
  it('has it as a variable, and the one of its own is the same for each attempt and no other call', async () => {
    const line = 'printf %s "$OKA_IDEMPOTENCY_KEY"';
    const keyOf = async (key: string, call: string): Promise<string> => {
      const input = { line, key };
      const outcome = await shell.invoke(input, { ...callOf(shell, input), call });
      return (outcome as unknown as { output: { stdout: string } }).output.stdout;
    };
    expect(await keyOf('order-4711', 'r.pay.1.1')).toBe('order-4711');
    const own = await keyOf('yes', 'r.pay.1.1');
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(await keyOf('yes', 'r.pay.1.2')).toBe(own);
    expect(await keyOf('yes', 'r.pay.2.1')).not.toBe(own);
  });

  it('is refused with characters that could end a header', async () => {
    expect(errorOf(await use(shell, { line: 'true', key: 'a\r\nx: y' }))).toContain('key');
  });
});

describe('a command whose requests were refused', () => {
  const refusing = shellWith({
    sandbox: async () => ({
      kind: 'ready',
      env: {},
      refused: async () => ['evil.example:80: evil.example is not among the hosts'],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  });

  it('has failed, although it ended with 0', async () => {
    const outcome = await use(refusing, { line: 'echo page' });
    expect(outcome.status).toBe('failed');
    expect(errorOf(outcome)).toMatch(/^the egress proxy refused a request: evil\.example:80: .* net_refused:ok/);
    expect(errorOf(outcome)).toContain('It wrote to stdout:\npage');
  });

  it('says so besides its own failure', async () => {
    expect(errorOf(await use(refusing, { line: 'exit 7', net_refused: 'ok' }))).toMatch(
      /^exit 7; the egress proxy refused a request/,
    );
  });

  it('has ended well when that was to be expected', async () => {
    expect(await use(refusing, { line: 'echo page', net_refused: 'ok' })).toMatchObject({ status: 'ok' });
  });
});

describe('a command that ran while the worker stood still', () => {
  const FREEZE_MS = 1500;
  const watching = shellWith({ frozenMs: 1000 });
  const useFrozen = async (input: Json) => {
    const outcome = use(watching, input);
    await sleep(200);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FREEZE_MS); // like a signal that stops this process
    return outcome;
  };

  it('is in doubt when it has failed and had the network, which stood still, too', async () => {
    const outcome = await useFrozen({ line: 'sleep 1; exit 7', net: true });
    expect(outcome).toMatchObject({ status: 'cancelled', unseen: true, error: expect.stringContaining('exit 7') });
  });

  it('has ended as it ended when it did well, or had no network', async () => {
    expect(await useFrozen({ line: 'sleep 1', net: true })).toMatchObject({ status: 'ok' });
    expect(await useFrozen({ line: 'sleep 1; exit 7' })).toMatchObject({ status: 'failed' });
  });
});

describe('a command that fails', () => {
  it('quotes what it wrote to stderr last, and to stdout', async () => {
    const outcome = await use(shell, { line: 'echo fine; seq 1 3000 >&2; echo "no such thing" >&2; exit 2' });
    expect(outcome).toMatchObject({ status: 'failed', usage: { output_bytes: expect.any(Number) } });
    expect(errorOf(outcome)).toMatch(
      /^exit 2\. It wrote to stderr:\n1\n2\n[^]*bytes left out[^]*\n3000\nno such thing\nIt wrote to stdout:\nfine$/,
    );
    expect(errorOf(outcome).length).toBeLessThan(2200);
  });

  it('quotes stdout when stderr is empty, and says when both are', async () => {
    expect(errorOf(await use(shell, { line: 'echo 1 test failed; exit 1' }))).toBe(
      'exit 1. It wrote to stdout:\n1 test failed',
    );
    expect(errorOf(await use(shell, { argv: ['false'] }))).toBe('exit 1 without any output');
  });

  it('keeps all of a stream that is not quoted whole', async () => {
    const outcome = await use(shell, { line: 'seq 1 3000; echo oops >&2; exit 1' });
    const [kept, ...others] = outcome.status === 'failed' ? (outcome.artifacts ?? []) : [];
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ name: 'stdout' });
    expect((await artifacts.get(kept!)).toString()).toMatch(/^1\n[^]*\n3000\n$/);
  });

  it.each<[string, { [key: string]: string | string[] | number }, RegExp]>([
    ['a signal', { line: 'kill -KILL $$' }, /^it was ended by SIGKILL/],
    ['its time', { line: 'echo begun; sleep 1000', timeout_seconds: 0.3 }, /^it was stopped after 0.3 s/],
    ['a program that is not there', { argv: ['no-such-program'] }, /^no-such-program: command not found/],
    ['a program that is not open', { argv: ['/tmp'] }, /^\/tmp: cannot be started \(EACCES\)/],
    ['a line the shell cannot read', { line: 'if; then' }, /^exit 2.*syntax error/s],
  ])('says so for %s', async (_, input, words) => {
    const outcome = await use(shell, input);
    expect(outcome.status).toBe('failed');
    expect(errorOf(outcome)).toMatch(words);
  });

  it('is cancelled when it is stopped from outside', async () => {
    const control = new AbortController();
    const running = use(shell, { line: 'touch begun; sleep 1000' }, control.signal);
    setTimeout(() => control.abort(), 100);
    expect(await running).toMatchObject({ status: 'cancelled' });
  });
});

describe('long output', () => {
  it('is kept as an artifact, with head and tail in the outcome', async () => {
    const outcome = await use(shell, { line: 'seq 1 20000' });
    const output = outcome.status === 'ok' ? (outcome.output as Record<string, never>) : {};
    expect(output['stdout']).toMatch(/^1\n2\n[^]*\n\[… 100702 bytes left out …\]\n[^]*\n19999\n20000\n$/);
    expect(String(output['stdout']).length).toBeLessThan(8300);
    expect(outcome).toMatchObject({ artifacts: [output['stdout_artifact']] });
    expect((await artifacts.get(output['stdout_artifact']!)).length).toBe(108_894);
  });

  it('says how much is left out where there is no store', async () => {
    const outcome = await use(shellTool({ desk, env }), { line: 'seq 1 20000' });
    expect(outcome).toMatchObject({ output: { stdout: expect.stringContaining('[… 100702 bytes left out …]') } });
    expect(outcome).not.toHaveProperty('artifacts');
  });

  it('is cut at the limit before it is kept, and never inside a character', async () => {
    const outcome = await use(shellWith({ limitBytes: 20_001 }), { line: 'for i in $(seq 20000); do printf ü; done' });
    const output = outcome.status === 'ok' ? (outcome.output as Record<string, never>) : {};
    const kept = (await artifacts.get(output['stdout_artifact']!)).toString();
    expect(kept).toMatch(/^ü{5000}\n\[… 20000 bytes left out …\]\nü{5000}$/);
    expect(output['stdout']).toMatch(/^ü{2048}\n\[… \d+ bytes left out …\]\nü{2048}$/);
  });

  it('is cut after secrets were taken out, so that no half of one is shown', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'Zm9vYmFy\n'.repeat(1500)}-----END PRIVATE KEY-----\n`;
    put(desk, 'key.pem', key);
    const outcome = await use(shell, { line: 'cat key.pem; cat key.pem >&2; exit 1' });
    expect(JSON.stringify(outcome)).not.toContain('Zm9v');
    expect(errorOf(outcome)).toContain('[redacted:private-key]');
  });

  it('that is not text is counted and kept byte for byte', async () => {
    const outcome = await use(shell, { line: String.raw`printf '\377\000\001'` });
    const output = outcome.status === 'ok' ? (outcome.output as Record<string, never>) : {};
    expect(output['stdout']).toBe('[3 bytes that are not text]');
    expect([...(await artifacts.get(output['stdout_artifact']!))]).toEqual([255, 0, 1]);
  });
});

describe('what is refused', () => {
  it.each<[string, { [key: string]: string | string[] | number }]>([
    ['neither argv nor line', {}],
    ['both', { argv: ['true'], line: 'true' }],
    ['an empty argv', { argv: [] }],
    ['an unknown field', { line: 'true', cwd: '/' }],
    ['a time that is none', { line: 'true', timeout_seconds: 0 }],
  ])('%s fails before anything starts', async (_, input) => {
    expect(shell.input.safeParse(input).success).toBe(false);
    expect(await use(shell, input)).toMatchObject({ status: 'failed' });
  });

  it.each(['..', '/', '/etc', 'a/../..', 'way-out', 'way-out/deeper'])('to start in %s is denied', async (dir) => {
    expect(await use(shell, { line: 'touch here', dir })).toMatchObject({ status: 'denied' });
  });

  it('a folder that is not there, or is a file, is a failure', async () => {
    put(desk, 'file.txt');
    expect(errorOf(await use(shell, { line: 'true', dir: 'no/such' }))).toMatch(/^no\/such is not there/);
    expect(errorOf(await use(shell, { line: 'true', dir: 'file.txt' }))).toMatch(/not a folder/);
  });
});

describe('the class', () => {
  it('comes from the port, which sees the command', () => {
    const seen: Command[] = [];
    const tool = shellWith({
      classify: (command) => {
        seen.push(command);
        return 'read';
      },
    });
    expect([tool.classOf({ line: 'ls' }), tool.classOf({ argv: ['ls'] })]).toEqual(['read', 'read']);
    expect(seen).toEqual([{ line: 'ls' }, { argv: ['ls'] }]);
  });

  it('is an external mutation without the port, and for input that is none', () => {
    expect(shell.classOf({ line: 'ls' })).toBe('external_mutation');
    expect(shellWith({ classify: () => 'read' }).classOf({ line: 3 })).toBe('external_mutation');
    expect(shell.annotations).toMatchObject({ risk: 'high', read_only: false, idempotent: false, cacheable: false });
  });
});
