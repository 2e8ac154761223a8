/**
 * Owns: secrets that a command of the operator prints, such as `pass show github` or `op read op://vault/item/field`.
 *
 * D1 Which command is run stands in config.json, which no task can change; it is started without a shell, never from a
 *    folder that tasks can write, and with the environment of oka.
 * D2 What it prints is the value and nothing else: neither its output nor its errors are written anywhere.
 * D3 It ends by its time limit, with everything it has started. Several requests at once run it once.
 */
import { homedir } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import type { CredentialSource, CredentialsConfig } from '../../core/schema/credential.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { LONGEST_SECRET } from '../../core/schema/secret.ts';
import type { Clock, CredentialProvider } from '../../core/schema/ports.ts';
import type { Launched } from '../sandbox/launch-result.ts';
import { type Fingerprint, toCredential } from './to-credential.ts';

/** A value is used this long before the command is run again: a run asks for the key of its model often. */
const FRESH_MS = 60_000;

type CommandPorts = {
  /** The folder of tasks: no program below it is run. */
  workspace: string;
  /** The environment of the command. */
  variables: () => Record<string, string>;
  clock: Clock;
  fingerprint: Fingerprint;
};

export function commandCredentials(
  sources: CredentialsConfig,
  { workspace, variables, clock, fingerprint }: CommandPorts,
): CredentialProvider {
  const recent = new Map<string, { at: number; value: Promise<string> }>();
  const valueOf = (name: string, argv: Argv, source: CredentialSource): Promise<string> => {
    const found = recent.get(name);
    if (found !== undefined && clock() - found.at < FRESH_MS && clock() >= found.at) return found.value;
    const value = readValue(name, argv, source.timeout_seconds * 1000, { workspace, variables });
    recent.set(name, { at: clock(), value });
    value.catch(() => recent.delete(name)); // whoever awaits it gets the error; the next one asks anew
    return value;
  };
  return {
    name: 'command',
    find: async (name) => {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
      if (source?.command === undefined) return null;
      return toCredential(name, source, await valueOf(name, source.command, source), fingerprint);
    },
  };
}

type Argv = NonNullable<CredentialSource['command']>;

async function readValue(
  name: string,
  argv: Argv,
  timeoutMs: number,
  { workspace, variables }: Pick<CommandPorts, 'workspace' | 'variables'>,
): Promise<string> {
  const [program = ''] = argv;
  const failed = (why: string, fix = `Run it yourself to see why: ${argv.join(' ')}`): OkaError =>
    new OkaError('refused', `the command that prints the secret ${name} (${program}) ${why}`, { fix });
  if (isAbsolute(program) && !relative(workspace, program).startsWith('..'))
    throw failed('is in the workspace, where tasks can change it', 'Put the program elsewhere.');
  const { launch } = await import('../sandbox/launch.ts');
  const launched = await launch(
    { argv },
    {
      cwd: homedir(),
      env: variables(),
      signal: new AbortController().signal,
      timeoutMs,
      outputLimitBytes: 2 * LONGEST_SECRET,
    },
  );
  const problem = problemOf(launched, timeoutMs);
  if (problem !== null) throw failed(problem);
  const { head, tail, omitted } = launched.stdout;
  if (omitted > 0) throw failed('printed more than a secret can be');
  const value = Buffer.concat([head, tail])
    .toString('utf8')
    .replace(/[\r\n]+$/, '');
  if (value.trim() === '') throw failed('printed nothing');
  return value;
}

function problemOf({ ended, exit, signal }: Launched, timeoutMs: number): string | null {
  if (ended.how === 'timed-out') return `took longer than ${timeoutMs / 1000} s`;
  if (ended.how === 'unstarted') return `could not be started (${ended.problem})`;
  if (exit === 0) return null;
  return exit === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${exit}`;
}
