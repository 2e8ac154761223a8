/** Every tool that a graph, a rule or a secret may name, as far as it is known without opening anything. */
import { type DaemonRoom, rooms } from './rooms.ts';

export const knownToolNames = (list: readonly DaemonRoom[] = rooms): string[] =>
  list.flatMap(({ tools = [] }) => tools);
