/** Owns: what a request about a conversation asks for that is so already: it is not recorded again. */
import { type ConversationRow, placeKey, storedConversation } from './chat-rows.ts';
import type { ChatIntake } from './chat-state.ts';
import type { Rows } from '../../../core/schema/rows.ts';

type Change = Extract<ChatIntake, { kind: 'chat_change' }>;
type Pause = Extract<ChatIntake, { kind: 'chat_pause' | 'chat_resume' }>;
type Field = 'name' | 'pinned' | 'pin' | 'ttl';

/** The request without that, and a sentence about it; null where nothing is so already. */
export function withoutWhatIsSo(rows: Rows, intake: Change): { intake: Change; already: string | null } {
  const row = storedConversation(rows, intake.conversation);
  if (row === undefined) return { intake, already: null };
  const same = Object.entries(soAlready(rows, row, intake)) as [Field, string][];
  const rest: Change = { ...intake };
  for (const [field] of same) delete rest[field];
  return { intake: rest, already: same.map(([, sentence]) => sentence).join('; ') || null };
}

/** What is said of a pause, or its end, that changed nothing; null where it was about no conversation. */
export function describePause(rows: Rows, { kind, conversations }: Pause): string | null {
  const so = kind === 'chat_pause' ? 'paused already' : 'not paused';
  const all = (): string[] => [...rows.each<ConversationRow>('chat/conv/')].map(([, { name }]) => name);
  const named = conversations?.flatMap((each) => storedConversation(rows, each)?.name ?? []) ?? all();
  return named.map((name) => `${name} is ${so}`).join(', ') || null;
}

function soAlready(
  rows: Rows,
  row: ConversationRow,
  { name, pinned, pin, ttl }: Change,
): Partial<Record<Field, string>> {
  const said = (what: string, isPinned: boolean): string => `${what} is ${isPinned ? 'pinned already' : 'not pinned'}`;
  const place = pin === undefined ? undefined : placeIn(rows, row, pin.message);
  return {
    ...(name === row.name && { name: `${name} is its name already` }),
    ...(pinned === row.isPinned && { pinned: said(row.name, pinned) }),
    ...(pin !== undefined &&
      place !== undefined &&
      row.pins.includes(place) === pin.pinned && { pin: said(`Message ${pin.message} of ${row.name}`, pin.pinned) }),
    ...(ttl === row.ttl && {
      ttl: `Messages of ${row.name} ${ttl === null ? 'stay' : 'expire after that time'} already`,
    }),
  };
}

const placeIn = (rows: Rows, { id }: ConversationRow, message: string): string | undefined =>
  rows.get<string>(placeKey(id, message));
