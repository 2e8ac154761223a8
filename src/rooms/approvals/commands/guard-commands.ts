/** What a command may do, and the proxy through which it does it. */
import { createInterface } from 'node:readline';
import { commandJudge, type JudgedCommand, judgeServerTool } from '../judge-command.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { readFile } from 'node:fs/promises';
import { lineClassifierOf } from '../../../kit/policy/classifier.ts';
import { serveEgress } from '../../../kit/egress/egress-access.ts';
import { openPolicy, type PolicyFile } from '../../../kit/policy/policy-file.ts';
import { tryUntilFixed } from '../../../kit/cli/stay.ts';
import { flag, text } from '../../../kit/cli/options.ts';
import { stay } from '../../../kit/cli/shared-options.ts';
import { pause } from '../../../kit/pause.ts';

type ClassifyData = ({ cmd: string } & JudgedCommand) | { error: string };

const POLL_EVERY_MS = 1000;

const SHORTEST_KEY = 32;

type Options = { listen: string | undefined; key: string | undefined; stay: boolean };

type EgressData = { listening: { host: string; port: number } } | ({ at: string } & Decision);

type Decision = { verdict: string; host: string; port: number; reason: string };

export const commands: Commands = {
  classify: command({
    summary: 'Show what a command may change and whether it would run; nothing is run',
    operands: '<command | ->',
    options: { tool: flag('It is the name of a tool, such as one of an MCP server.') },
    example: "oka classify 'git push origin main'",
    run: async (call) => {
      const command = onlyOperand(call, call.options.tool ? 'the tool' : 'the command');
      if (call.options.tool)
        return answer({ cmd: command, ...(await judgeServerTool(call.home, command, call.rooms)) });
      const judge = commandJudge(call.home);
      if (command === '-') return classifyLines(call, judge);
      return answer({ cmd: command, ...judge(command) });
    },
    render: (data, { bold, green, yellow, red }) => {
      if ('error' in data) return `${data.error}\n`;
      const { verdict, reason } = data;
      const { class: found, programs, hosts, net } = data.found;
      const colour = { allow: green, ask: yellow, deny: red }[verdict];
      const lines = [
        `${bold(found)}: ${colour(verdict)}`,
        `  why       ${plainText(reason)}`,
        ...(programs.length > 0 ? [`  programs  ${plainText(programs.join(', '))}`] : []),
        ...(net ? [`  network   ${hosts.length > 0 ? plainText(hosts.join(', ')) : 'yes'}`] : []),
      ];
      return `${lines.join('\n')}\n`;
    },
    jsonLines: (data) => ['error' in data ? data : verdictOn(data)],
  }),
  egress: command({
    summary: 'Run the proxy through which commands reach the outside, alone',
    options: {
      listen: text('ADDRESS', 'Where to listen (default 127.0.0.1:3128; port 0 for any).'),
      key: text('FILE', 'A key shared with the worker; only its steps may use the proxy.'),
      stay,
    },
    example: 'oka egress --listen 0.0.0.0:3128 --key /run/secrets/egress',
    run: async (call: Call<Options, EgressData>): Promise<Answer<EgressData>> => ({
      code: await tryUntilFixed(call, () => serve(call)),
    }),
    render: (data: EgressData): string => {
      if ('listening' in data) return `Listening on ${data.listening.host}, port ${data.listening.port}.\n`;
      return `${plainText(`${data.verdict} ${data.host}:${data.port}: ${data.reason}`)}\n`;
    },
  }),
};

/** One JSON line in, one out, as they come. */
async function classifyLines(
  call: Call<{ tool: boolean }, ClassifyData>,
  judge: (line: string) => JudgedCommand,
): Promise<Answer<ClassifyData>> {
  if (!call.json)
    throw new OkaError('usage', 'with - commands are read as JSON lines', { fix: 'Say: oka classify --json -' });
  let code: number = exits.ok;
  let number = 0;
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    const command = commandIn(line);
    if ('error' in command) code = exits.no;
    call.emit(
      'error' in command ? { error: `line ${number}: ${command.error}` } : { cmd: command.cmd, ...judge(command.cmd) },
    );
  }
  return { code };
}

function commandIn(line: string): { cmd: string } | { error: string } {
  try {
    const value = JSON.parse(line) as unknown;
    const cmd = typeof value === 'object' && value !== null && 'cmd' in value ? value.cmd : undefined;
    return typeof cmd === 'string' ? { cmd } : { error: 'a line is {"cmd": "…"}' };
  } catch (error) {
    return { error: `it is not JSON: ${messageOf(error)}` };
  }
}

function verdictOn({ cmd, found, verdict, reason }: { cmd: string } & JudgedCommand): object {
  return { cmd, class: found.class, verdict, reason };
}

async function serve({ home, signal, options, emit, notify }: Call<Options, EgressData>): Promise<number> {
  const listen = listenOf(options.listen ?? '127.0.0.1:3128');
  const key = await keyOf(options.key);
  const policy = openPolicy(home.policy, lineClassifierOf(home));
  await using proxy = await serveEgress(
    {
      home,
      policy: () => policy.now().policy,
      decided: (decided) => emit({ at: new Date().toISOString(), ...decided }),
      clock: Date.now,
    },
    listen,
    key,
  );
  if (key === null) notify('Without --key whoever reaches this port may use the proxy.');
  emit({ listening: { host: proxy.host, port: proxy.port } });
  await followPolicy(policy, signal, notify);
  return exits.interrupted;
}

/** Activates what a person changes in the policy, until it is stopped. */
async function followPolicy(policy: PolicyFile, signal: AbortSignal, notify: (line: string) => void): Promise<void> {
  while (!signal.aborted) {
    const polled = policy.poll();
    if (polled.kind === 'invalid') notify(polled.reason);
    if (polled.kind === 'loaded') {
      policy.activate(polled);
      notify('The policy has changed and is now active.');
    }
    await pause(POLL_EVERY_MS, signal);
  }
}

function listenOf(text: string): { host: string; port: number } {
  const [, bracketed, name, port = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new OkaError('usage', `--listen is an address and a port, not "${text}"`, {
      fix: 'For example: --listen 127.0.0.1:3128',
    });
  return { host: bracketed ?? name ?? '127.0.0.1', port: Number(port) };
}

async function keyOf(file: string | undefined): Promise<Buffer | null> {
  if (file === undefined) return null;
  const key = await readFile(file).catch((error: unknown) => {
    throw new OkaError('usage', `--key: ${messageOf(error)}`, { fix: 'Name a file with a key in it.', cause: error });
  });
  if (key.length >= SHORTEST_KEY) return key;
  throw new OkaError('usage', `--key: ${file} has only ${key.length} bytes`, {
    fix: `Make one: head -c ${SHORTEST_KEY} /dev/urandom > ${file}`,
  });
}
