/** Which call of its turn each call of an agent is, known from its events alone. */
import type { Event } from '../../src/core/schema/event.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
type Open = { place: number; isRead: boolean; isTogether: boolean };

/** One explanation of the events so far: which calls of the turn are still to be made, made again, or in progress. */
type Turn = { pending: number[]; again: number | null; open: Map<string, Open> };

/** The places that fit; none: the call should not have been made. `beside`: how many others were in progress. */
export type Placed = { call: string; places: number[]; isTogether: boolean; beside: number };

/**
 * Reads that start together are the next of the turn, and each that did not end goes back to its place. Anything else
 * starts when nothing is in progress: the call that has to be made again, or the next one.
 */
export function placesInTurn(events: readonly Event[]): Placed[] {
  let calls: { tool: string; input: unknown }[] = [];
  let turns: Turn[] = [];
  return events.flatMap((event) => {
    const { type, data } = event;
    if (type === 'decision.made') {
      calls = data.decision.kind === 'CallTool' ? [data.decision, ...(data.decision.also ?? [])] : [];
      turns = [{ pending: calls.map((_, place) => place), again: null, open: new Map() }];
    }
    if (type === 'call.ended') turns = turns.map((turn) => afterOutcome(turn, data));
    if (type === 'wait.closed') turns = turns.flatMap((turn) => afterAnswer(turn, data.answer));
    if (type !== 'call.started') return [];
    const wanted = JSON.stringify([data.tool, data.input]);
    const fits = (place: number): boolean => JSON.stringify([calls[place]?.tool, calls[place]?.input]) === wanted;
    const beside = Math.max(0, ...turns.map(({ open }) => open.size));
    const started = turns.flatMap((turn) => afterStart(turn, data, fits));
    turns = started.map(({ turn }) => turn);
    const isTogether = data.together === true;
    return [{ call: data.call, places: [...new Set(started.map(({ place }) => place))], isTogether, beside }];
  });
}

function afterStart(
  { pending, again, open }: Turn,
  data: Of<'call.started'>['data'],
  fits: (place: number) => boolean,
): { turn: Turn; place: number }[] {
  const isTogether = data.together === true;
  const isAllowed = isTogether ? again === null && data.class === 'read' : open.size === 0;
  const place = again ?? pending[0];
  if (!isAllowed || place === undefined || !fits(place)) return [];
  const opened = new Map(open).set(data.call, { place, isRead: data.class === 'read', isTogether });
  return [{ turn: { pending: again === null ? pending.slice(1) : pending, again: null, open: opened }, place }];
}

function afterOutcome({ pending, again, open }: Turn, { call, status, retried }: Of<'call.ended'>['data']): Turn {
  const ended = open.get(call);
  const left = new Map([...open].filter(([each]) => each !== call));
  if (ended === undefined) return { pending, again, open };
  const isMadeAgain = retried === true || status === 'waiting' || status === 'cancelled';
  if (isMadeAgain && ended.isTogether)
    return { pending: [...pending, ended.place].toSorted((a, b) => a - b), again, open: left };
  if (isMadeAgain) return { pending, again: ended.place, open: left };
  return { pending: status === 'ok' || ended.isRead ? pending : [], again: null, open: left };
}

/** A call in doubt has an answer of its own; other answers let the call be made, or stand for its result. */
function afterAnswer(turn: Turn, { verdict, text }: Of<'wait.closed'>['data']['answer']): Turn[] {
  if (text === 'repeat') return [turn];
  if (text === 'done') return [{ ...turn, again: null }];
  if (verdict === 'denied' || verdict === 'expired' || verdict === 'cancelled')
    return [{ ...turn, again: null, pending: [] }];
  return [turn, { ...turn, again: null }];
}
