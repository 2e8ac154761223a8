import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineClassifierOf } from '../../../kit/policy/classifier.ts';
import { serveEgress } from '../../../kit/egress/egress-access.ts';
import { openPolicy, type PolicyFile } from '../../../kit/policy/policy-file.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { tryUntilFixed } from '../../../kit/cli/stay.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';

const POLL_EVERY_MS = 1000;
const SHORTEST_KEY = 32;

type Options = { listen: string | undefined; key: string | undefined; stay: boolean };
type Data = { listening: { host: string; port: number } } | ({ at: string } & Decision);
type Decision = { verdict: string; host: string; port: number; reason: string };

export async function run(call: Call<Options, Data>): Promise<Answer<Data>> {
  return { code: await tryUntilFixed(call, () => serve(call)) };
}

export function render(data: Data): string {
  if ('listening' in data) return `Listening on ${data.listening.host}, port ${data.listening.port}.\n`;
  return `${plainText(`${data.verdict} ${data.host}:${data.port}: ${data.reason}`)}\n`;
}

async function serve({ home, signal, options, emit, notify }: Call<Options, Data>): Promise<number> {
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
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
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
