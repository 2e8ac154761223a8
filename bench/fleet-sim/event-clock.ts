/**
 * A simulation of discrete events: processes that wait for time to pass, or for a place at a station.
 *
 * The same processes in the same order give the same result: events of one moment happen in the order in which they were
 * planned, and nothing here reads a clock or draws a number.
 */
export type Wait = { kind: 'after'; seconds: number } | { kind: 'enter'; station: Station };
export type Process = Generator<Wait, void, void>;

/** A number of equal places, given in the order of arrival. */
export class Station {
  readonly name: string;
  readonly places: number;
  busy = 0;
  readonly waiting: Process[] = [];
  /** The next in line; those before it are gone already. */
  head = 0;
  /** Seconds of all places together, up to the last change. */
  busySeconds = 0;
  changedAt = 0;

  constructor(name: string, places: number) {
    this.name = name;
    this.places = places;
  }
}

export class EventClock {
  now = 0;
  #planned = 0;
  readonly #heap: { at: number; order: number; process: Process }[] = [];

  start(process: Process, at = this.now): void {
    this.#push({ at, order: this.#planned++, process });
  }

  /** Until nothing is planned, or the end. */
  run(end = Number.POSITIVE_INFINITY): void {
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#pop();
      this.now = next.at;
      this.#resume(next.process);
    }
  }

  /** Waits for a place, has it for some time, and leaves it. */
  *use(station: Station, seconds: number): Process {
    yield { kind: 'enter', station };
    yield { kind: 'after', seconds };
    this.leave(station);
  }

  leave(station: Station): void {
    const next = station.waiting[station.head];
    if (next === undefined) return this.#occupy(station, -1);
    station.waiting[station.head] = undefined as unknown as Process; // so that it can be forgotten
    station.head += 1;
    if (station.head > 1000 && station.head * 2 > station.waiting.length) {
      station.waiting.splice(0, station.head);
      station.head = 0;
    }
    this.start(next);
  }

  #resume(process: Process): void {
    for (let step = process.next(); step.done !== true; step = process.next()) {
      const wait = step.value;
      if (wait.kind === 'after') return this.start(process, this.now + wait.seconds);
      const { station } = wait;
      if (station.busy === station.places) {
        station.waiting.push(process);
        return;
      }
      this.#occupy(station, 1);
    }
  }

  /** How busy a station was so far, as a part of all its places. */
  busyPart(station: Station): number {
    this.#occupy(station, 0);
    return this.now === 0 ? 0 : station.busySeconds / this.now / station.places;
  }

  #occupy(station: Station, change: number): void {
    station.busySeconds += station.busy * (this.now - station.changedAt);
    station.changedAt = this.now;
    station.busy += change;
  }

  #push(event: { at: number; order: number; process: Process }): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = last;
  }
}

type Planned = { at: number; order: number };

const isBefore = (one: Planned, other: Planned): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
