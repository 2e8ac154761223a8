/**
 * Owns: what a mind knows of the step that it works on: the calls it made and the results that prompts showed.
 *
 * M1 A mind reads results from prompts only. A result that a prompt no longer shows is read once more, as a model would
 *    have to, unless what depends on it is written already; after that the mind remembers it, so that it never reads in
 *    circles.
 * M2 A step that starts again starts with an empty memory.
 */
import type { WireRequest } from '../support/wire-server-reply.ts';
import type { ToolCall } from './eval-task.ts';

export type Shown = { status: string; body: string; isWhole: boolean };

const WRITING = /^(?:files\.(?:write|edit|move|remove)|memory\.note) /;
const READS_OF_THE_SAME = 2;
const CUT = /\[… \d+ bytes in all, the middle is left out …\]/;

export class StepMemory {
  #calls: { key: string; turn: number }[] = [];
  #results = new Map<string, Shown>();
  #visible = new Map<string, Shown>();

  /** Takes over what this prompt shows. */
  see(request: WireRequest): void {
    if (turnOf(request) <= 1) {
      this.#calls = [];
      this.#results.clear();
    }
    this.#visible = new Map();
    for (const { turn, called, ...shown } of shownResults(request.text)) {
      const call = this.#calls.find((each) => each.turn === turn && shorten(each.key) === shorten(called));
      if (call === undefined) continue;
      this.#visible.set(call.key, shown);
      if (shown.isWhole || !this.#results.has(call.key)) this.#results.set(call.key, shown);
    }
  }

  note(calls: readonly ToolCall[], turn: number): void {
    for (const call of calls) this.#calls.push({ key: keyOf(call), turn });
  }

  hasReadSinceWrite(call: ToolCall): boolean {
    const keys = this.#calls.map(({ key }) => key);
    return keys.lastIndexOf(keyOf(call)) > keys.findLastIndex((key) => WRITING.test(key));
  }

  hasWritten(path: string): boolean {
    return this.#calls.some(({ key }) => WRITING.test(key) && key.includes(`"${path}"`));
  }

  /** The result of a call, or null when the call has to be made (again). */
  resultOf(call: ToolCall): Shown | null {
    const key = keyOf(call);
    const seen = this.#visible.get(key);
    if (seen !== undefined && (seen.isWhole || seen.status !== 'ok')) return seen;
    const made = this.#calls.filter((each) => each.key === key).length;
    if (made === 0) return null;
    const known = this.#results.get(key) ?? null;
    const hasWritten = this.#calls.some((each) => WRITING.test(each.key));
    if (WRITING.test(key) || made >= READS_OF_THE_SAME || (hasWritten && known !== null))
      return known ?? { status: 'ok', body: '', isWhole: false };
    return null;
  }
}

export const keyOf = ({ tool, input }: ToolCall): string => `${tool} ${JSON.stringify(input)}`;

export const turnOf = ({ text }: WireRequest): number =>
  Number([...text.matchAll(/^(?:State: \w+\. )?Turn (\d+)\./gm)].at(-1)?.[1] ?? 1);

/** Results as the prompt of an executor shows them, each with the beginning of its call. */
function* shownResults(text: string): Generator<Shown & { turn: number; called: string }> {
  const shape = /^Turn (\d+): ([^\n]*) → (\w+)\n<data (\w+) result>\n([^]*?)\n<\/data \4>/gm;
  for (const [, turn = '', called = '', status = '', , body = ''] of text.matchAll(shape))
    yield { turn: Number(turn), called, status, body, isWhole: !CUT.test(body) };
}

/** Prompts show the beginning of a call, with white space made even. */
const shorten = (called: string): string => called.replaceAll(/\s+/g, ' ').slice(0, 80);
