/** The command line, called in this process; `okaProcess` where a process of its own is the point. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Dialog, DialogLeft } from '../../src/kit/cli/dialog.ts';
import { runOka } from '../../src/app/cli/run-oka.ts';
import type { HouseRoom } from '../../src/kit/house/house.ts';
import { memoryFolder } from './test-folders.ts';

export const launcher = fileURLToPath(new URL('../../bin/oka', import.meta.url));

export type Ran = { code: number | null; out: string; err: string };

/** Variables that are set while the command runs (undefined: unset), what stdin says, and who interrupts it. */
export type OkaOptions = {
  env?: Readonly<Record<string, string | undefined>>;
  input?: string;
  signal?: AbortSignal;
  /** Other rooms than those of the product. */
  rooms?: readonly HouseRoom[];
  /** Called with each text on stdout, for commands that go on. */
  onOut?: (text: string) => void;
  /** What a person answers to questions, one after the other; without it there is no terminal. */
  answers?: readonly string[];
  /** Columns of the terminal; 80 unless given. */
  width?: number;
};

export async function oka(...words: string[]): Promise<Ran> {
  return okaWith({}, ...words);
}

export async function okaWith(
  { env = {}, input = '', signal, rooms, onOut, answers, width = 80 }: OkaOptions,
  ...words: string[]
): Promise<Ran> {
  const ran = { code: 0, out: '', err: '' };
  const restore = setEnvironment(env);
  try {
    ran.code = await runOka(
      words,
      {
        out: (text) => {
          ran.out += text;
          onOut?.(text);
        },
        err: (text) => void (ran.err += text),
        stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
        signal: signal ?? new AbortController().signal,
        isTerminal: false,
        isErrTerminal: false,
        hasColours: false,
        width,
        underSupervisor: (stop, work) => work(stop),
        openDialog:
          answers === undefined ? null : () => Promise.resolve(dialogOf(answers, (text) => void (ran.out += text))),
        openTerminal: null,
      },
      rooms === undefined ? {} : { rooms },
    );
    return ran;
  } finally {
    restore();
  }
}

/** Leaves the dialog, as with Ctrl-C, when there are no more answers. */
function dialogOf(answers: readonly string[], print: (text: string) => void): Dialog {
  const rest = [...answers];
  const ask = async (question: string): Promise<string> => {
    print(`${question}\n`);
    const answer = rest.shift();
    if (answer === undefined) throw new DialogLeft();
    return answer;
  };
  return { print, ask, askHidden: ask, during: (work) => work(new AbortController().signal) };
}

/** Sets variables of this process (undefined: unset), and returns what sets them back. */
export function setEnvironment(env: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  assignEnvironment(Object.entries(env));
  return () => assignEnvironment(before);
}

function assignEnvironment(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}

export function okaProcess(...words: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...words], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

export type TemporaryFolder = { dir: string; [Symbol.dispose](): void };

/** In memory unless it is large, or has to be where folders of people are: `temporaryFolder(testFolder)`. */
export function temporaryFolder(make = memoryFolder): TemporaryFolder {
  const dir = make('oka-test-');
  return { dir, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}
