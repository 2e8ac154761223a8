import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineClassifierOf } from '../../daemon/guard/classifier.ts';
import { serveEgress } from '../../daemon/network/egress-access.ts';
import { openPolicy, type PolicyFile } from '../../daemon/guard/policy-file.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { staying } from '../stay.ts';
import { plainText } from '../plain-text.ts';

const LOOK_EVERY_MS = 1000;
const SHORTEST_KEY = 32;

export async function run(call: Call): Promise<number> {
  return staying(call, () => serve(call));
}

async function serve(call: Call): Promise<number> {
  const { home, signal, json, out, err } = call;
  const listen = listenOf(call.text('listen') ?? '127.0.0.1:3128');
  const key = await keyOf(call.text('key'));
  const policy = openPolicy(home.policy, lineClassifierOf(home));
  const tell = (fact: object, words: string): void => out(json ? `${JSON.stringify(fact)}\n` : `${plainText(words)}\n`);
  await using proxy = await serveEgress(
    {
      home,
      policy: () => policy.now().policy,
      decided: (decided) =>
        tell(
          { at: new Date().toISOString(), ...decided },
          `${decided.verdict} ${decided.host}:${decided.port}: ${decided.reason}`,
        ),
      clock: Date.now,
    },
    listen,
    key,
  );
  if (key === null) err('Without --key whoever reaches this port may use the proxy.\n');
  tell({ listening: { host: proxy.host, port: proxy.port } }, `Listening on ${proxy.host}, port ${proxy.port}.`);
  await watch(policy, signal, err);
  return exits.interrupted;
}

/** Takes over what a person changes in the policy, until it is told to stop. */
async function watch(policy: PolicyFile, signal: AbortSignal, err: (text: string) => void): Promise<void> {
  while (!signal.aborted) {
    const looked = policy.poll();
    if (looked.kind === 'invalid') err(`${looked.reason}\n`);
    if (looked.kind === 'loaded') {
      policy.activate(looked);
      err('The policy has changed; what it says now holds.\n');
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
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
