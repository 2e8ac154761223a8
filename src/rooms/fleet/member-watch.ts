/** Owns: which members are silent: they have not reported for a while, by this machine's own clock. A hint only. */
import type { FleetMembers } from './servers/fleet-members.ts';

export type MemberWatch = { isSilent: (member: string) => Promise<boolean> };

const LIST_MS = 2000;
/** Members report every five seconds. */
const SILENT_MS = 20_000;

/** Whether what was said `at` a moment is no longer news: for people, by the clock of this machine. */
export const isSilent = ({ at }: { at: string }): boolean => Date.now() - Date.parse(at) > SILENT_MS;

/** A member that is unknown so far counts as having just reported. */
export function watchMembers(members: Pick<FleetMembers, 'list'>, silentMs: number): MemberWatch {
  const seen = new Map<string, { at: string; since: number }>();
  let listed = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    if (performance.now() - listed < LIST_MS) return;
    for (const { name, at } of await members.list())
      if (seen.get(name)?.at !== at) seen.set(name, { at, since: performance.now() });
    listed = performance.now();
  };
  return {
    isSilent: async (member) => {
      await look();
      const known = seen.get(member) ?? { at: '', since: performance.now() };
      seen.set(member, known);
      return performance.now() - known.since > silentMs;
    },
  };
}
