/**
 * Owns: messages through a program that the operator named in channels.json. It runs with the rights of the worker, and
 * gets nothing of its environment but the path, the home and the language.
 */
import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { Channel, ChannelMessage, DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import { messageEnvironment } from '../../../kit/settings.ts';
import { toAppriseMessage } from '../apprise/apprise-channel.ts';
import { defineChannel, sharedSettings } from '../channel-definition.ts';

const CommandChannel = z
  .strictObject({
    kind: z.literal('command').describe('A program of yours.'),
    command: z
      .array(z.string().max(4000))
      .min(1)
      .max(50)
      .describe('The program and its arguments. It gets the message as JSON ({title, body, type, link}) on its input.'),
    timeout: z.number().positive().max(600).default(30).describe('It is ended after so many seconds.'),
    ...sharedSettings,
  })
  .describe('Messages through a program that you wrote or chose. It runs with your rights, outside of the sandbox.');

export const command = defineChannel({
  kind: 'command',
  label: 'a program of yours on this machine',
  settings: CommandChannel,
  fields: {
    command: { value: null, about: 'the program', ask: 'The program and its arguments', isNeeded: true, isList: true },
  },
  entryOf: (given) => ({ command: given.command.length === 0 ? undefined : [...given.command] }),
  addressOf: (settings) => settings.command[0] ?? '',
  open: (settings) =>
    Promise.resolve(
      openCommand({ command: settings.command, timeoutMs: settings.timeout * 1000, env: messageEnvironment() }),
    ),
});

type CommandRun = {
  command: readonly string[];
  timeoutMs: number;
  env: Readonly<Record<string, string>>;
  /** Arguments behind those of the command. */
  toArguments?: (message: ChannelMessage) => string[];
  /** Whether the program prints the id of the message, by which a later one takes its place. */
  canUpdate?: boolean;
};

const MOST_ERROR = 2000;
const MOST_REF = 100;

export function openCommand(run: CommandRun): Channel {
  const start = (message: ChannelMessage, signal: AbortSignal): Promise<DeliveryOutcome> =>
    runOnce(run, message, signal);
  return { announce: start, ask: start, ...(run.canUpdate === true ? { close: start, canUpdate: true } : {}) };
}

function runOnce(
  { command, timeoutMs, env, toArguments, canUpdate = false }: CommandRun,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const [program = '', ...given] = command;
  const args = [...given, ...(toArguments?.(message) ?? [])];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
  const child = spawn(program, args, { env, signal: limit, killSignal: 'SIGKILL' });
  let [problem, printed] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (printed = `${printed}${chunk.toString()}`.slice(0, MOST_REF)));
  child.stderr.on('data', (chunk: Buffer) => (problem = `${problem}${chunk.toString()}`.slice(-MOST_ERROR)));
  child.on('error', (error) =>
    resolve({
      status: 'failed',
      reason: limit.aborted ? `${program} took too long` : `${program} cannot be started: ${error.message}`,
    }),
  );
  child.on('close', (code) =>
    resolve(
      code === 0
        ? { status: 'sent', ref: (canUpdate ? printed.trim() : '') || null }
        : { status: 'failed', reason: `${program} ended with ${code}: ${problem.trim().slice(-300)}` },
    ),
  );
  child.stdin.on('error', () => undefined); // a program that does not read its input is fine
  child.stdin.end(
    `${JSON.stringify({ ...toAppriseMessage(message), kind: message.kind, link: message.link, id: message.delivery })}\n`,
  );
  return promise;
}
