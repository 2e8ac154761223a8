/** Owns: removing what is left of finished claims in the background, in short slices, so that tasks do not wait for it. */
import { setImmediate as breathe } from 'node:timers/promises';
import { messageOf } from '../schema/errors.ts';
import { removeFinished } from './claim-task.ts';

const SLICE_MS = 10;

export class ClaimSweep {
  readonly #inbox: string;
  readonly #problem: (text: string) => void;
  #names: string[] = [];
  #isSweeping = false;
  #closed = false;
  #sweep: Promise<void> = Promise.resolve();

  constructor(inbox: string, problem: (text: string) => void) {
    this.#inbox = inbox;
    this.#problem = problem;
  }

  add(names: readonly string[]): void {
    for (const name of names) this.#names.push(name);
    if (this.#isSweeping || this.#names.length === 0) return;
    this.#isSweeping = true;
    this.#sweep = this.#removeAll();
  }

  /** What is not removed yet is found again when the inbox is opened. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#sweep;
  }

  async #removeAll(): Promise<void> {
    while (this.#names.length > 0 && !this.#closed) {
      await breathe();
      for (const until = performance.now() + SLICE_MS; performance.now() < until; ) {
        const name = this.#names.pop();
        if (name === undefined) break;
        this.#remove(name);
      }
    }
    this.#isSweeping = false;
  }

  #remove(name: string): void {
    try {
      removeFinished(this.#inbox, name);
    } catch (error) {
      this.#problem(`${name} of a finished task cannot be removed: ${messageOf(error)}`);
    }
  }
}
