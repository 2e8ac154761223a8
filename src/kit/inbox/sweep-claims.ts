/** Owns: removing what is left of finished claims in the background, one after the other, so that tasks do not wait for it. */
import { messageOf } from '../../core/schema/errors.ts';
import { removeFinished } from './claim-task.ts';

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
    while (!this.#closed) {
      const name = this.#names.pop();
      if (name === undefined) break;
      await this.#remove(name);
    }
    this.#isSweeping = false;
  }

  async #remove(name: string): Promise<void> {
    try {
      await removeFinished(this.#inbox, name);
    } catch (error) {
      this.#problem(`${name} of a finished task cannot be removed: ${messageOf(error)}`);
    }
  }
}
