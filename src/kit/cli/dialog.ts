/**
 * Owns: asking the person at the terminal questions, one line each.
 *
 * D1 Nothing typed for a hidden question reaches the screen, nor can it be recalled at a later question.
 * D2 However a question ends, the terminal is no longer in raw mode.
 * D3 Ctrl-C and Ctrl-D end the dialog with `DialogLeft`, also while it waits for something else (`during`).
 */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** The person left the dialog without an answer. */
export class DialogLeft extends Error {}

export type Dialog = {
  print: (text: string) => void;
  /** The trimmed line. */
  ask: (question: string) => Promise<string>;
  /** The same, for what must not be seen while it is typed. */
  askHidden: (question: string) => Promise<string>;
  /** Waits for work that Ctrl-C aborts. */
  during: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
};

type Terminal = { input: ReadStream; print: (text: string) => void; signal: AbortSignal };

export function openDialog({ input, print, signal }: Terminal): Dialog {
  const readLine = (question: string, isHidden: boolean): Promise<string> =>
    withLines({ input, print, signal }, { question, isHidden }, (lines, left) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      lines.once('line', resolve);
      left.addEventListener('abort', () => reject(new DialogLeft()), { once: true });
      return promise;
    });
  return {
    print,
    ask: async (question) => (await readLine(question, false)).trim(),
    askHidden: async (question) => (await readLine(question, true)).trim(),
    during: (work) =>
      withLines({ input, print, signal }, { question: '', isHidden: true }, async (_lines, left) => {
        try {
          return await work(left);
        } catch (error) {
          throw left.aborted ? new DialogLeft() : error;
        }
      }),
  };
}

/** A reader of its own for each question: nothing typed at one is left for another (D1). */
async function withLines<T>(
  { input, print, signal }: Terminal,
  { question, isHidden }: { question: string; isHidden: boolean },
  use: (lines: Interface, left: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new DialogLeft();
  const leave = new AbortController();
  const echo = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isHidden) print(chunk.toString());
      done();
    },
  });
  const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
  for (const event of ['SIGINT', 'close'] as const) lines.once(event, () => leave.abort());
  const abort = (): void => leave.abort();
  signal.addEventListener('abort', abort);
  if (isHidden) print(question);
  else {
    lines.setPrompt(question);
    lines.prompt();
  }
  try {
    return await use(lines, leave.signal);
  } finally {
    const isOpenLine = leave.signal.aborted || (isHidden && question !== '');
    signal.removeEventListener('abort', abort);
    lines.close();
    if (isOpenLine) print('\n');
  }
}
