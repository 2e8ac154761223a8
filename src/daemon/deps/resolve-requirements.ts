/**
 * Owns: what happens when a person says that something is there, on the page or by a command.
 *
 * V1 It is looked for before anybody goes on; what can be installed is tried again.
 * V2 What is not there is asked for again, with what was seen.
 * V3 What came without anybody saying so is noticed: at the first look, after an installation, and now and then.
 */
import type { Drive } from '../../engine/drive.ts';
import type { Need } from '../../schema/dependency.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { WaitAnswer } from '../../schema/wait.ts';
import { type OpenRequirement, type Dependencies, installedId } from '../../tools/deps/dependency-state.ts';
import type { Presence } from '../../tools/deps/find-present.ts';
import { STILL_MISSED } from './open-requirement.ts';
import type { Installs } from './installs.ts';
import type { RequirementsPage } from './requirements-page.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import type { NeedFinder } from './find-needs.ts';

export type Resolved = { there: boolean; seen: string; drives: Drive[] };

export type RequirementResolver = {
  /** Looks at the page: what people wrote there, and what it has to say now. */
  poll: () => Promise<void>;
  /** Closes requests for what is there by now. */
  notice: () => Promise<void>;
  resolve: (name: string, by: string) => Promise<Resolved>;
  /** The same; nobody waits for it. */
  resolveSoon: (name: string, by: string) => void;
};

type Around = {
  page: RequirementsPage;
  seeing: NeedFinder;
  installs: Installs;
  settled: () => Promise<Dependencies>;
  answerAll: (isMeant: (need: Need) => boolean, answer: WaitAnswer) => Promise<Drive[]>;
};

const PAGE = 'INSTALL_REQUIREMENTS.md';
const MOST_SEEN = 2000;
const NOTICE_EVERY_MS = 30_000;

export function resolveRequirements({ ledger }: Pick<DepsPorts, 'ledger'>, around: Around): RequirementResolver {
  const { page, seeing, installs, settled, answerAll } = around;
  let noticed = Number.NEGATIVE_INFINITY;
  /** Who went on when a request was closed, by its name and when it was opened: it is closed once. */
  const closed = new Map<string, Promise<Drive[]>>();
  return { poll, notice, resolve, resolveSoon };

  async function poll(): Promise<void> {
    const { problem, resolved } = page.look();
    if (problem !== null) await ledger.append({ type: 'intake.rejected', data: { name: PAGE, reason: problem } });
    for (const { name, id } of resolved) {
      const intake = { kind: 'resolve', name, by: PAGE } as const;
      await ledger.append({ type: 'intake.received', data: { id, intake } });
      resolveSoon(name, PAGE);
    }
    if (performance.now() - noticed > NOTICE_EVERY_MS) await notice().catch(rejectedAs('what is there by now'));
    page.write();
  }

  /** V3 */
  async function notice(): Promise<void> {
    noticed = performance.now();
    for (const asked of Object.values((await settled()).requirements)) {
      const { need, status, reason } = asked;
      if (status !== 'open' || reason.startsWith(STILL_MISSED) || !canBeSeen(need)) continue;
      const { there, seen, blind } = await seeing.look(need);
      if (there && blind !== true) await close(asked, 'oka', seen);
    }
  }

  function close(asked: OpenRequirement, by: string, seen: string): Promise<Drive[]> {
    const key = `${asked.name} ${asked.opened}`;
    const drives = closed.get(key) ?? closedNow(asked, by, seen);
    closed.set(key, drives);
    drives.catch(() => closed.delete(key));
    return drives;
  }

  async function closedNow({ name }: OpenRequirement, by: string, seen: string): Promise<Drive[]> {
    await ledger.append({ type: 'requirement.resolved', data: { name, by, seen: seen.slice(0, MOST_SEEN) } });
    page.write();
    return answerAll((need) => nameOf(need) === name, { verdict: 'arrived', text: seen, by });
  }

  function resolveSoon(name: string, by: string): void {
    resolve(name, by)
      .catch(rejectedAs(`resolve ${name}`))
      .catch(() => undefined); // the ledger is closed: it is said again at the next start
  }

  function rejectedAs(name: string): (error: unknown) => Promise<void> {
    return async (error) => {
      const reason = messageOf(error).slice(0, MOST_SEEN);
      await ledger.append({ type: 'intake.rejected', data: { name: name.slice(0, 255), reason } });
    };
  }

  async function resolve(name: string, by: string): Promise<Resolved> {
    const asked = (await settled()).requirements[name];
    if (asked === undefined)
      throw new OkaError('usage', `nothing called "${name}" is needed`, { fix: 'See what is: oka requirements' });
    const found = await lookedFor(asked.need);
    const seen = found.seen.slice(0, MOST_SEEN);
    if (asked.status === 'resolved')
      return { ...found, drives: (await closed.get(`${asked.name} ${asked.opened}`)) ?? [] };
    if (found.there) return { ...found, drives: await close(asked, by, seen) };
    await ledger.append({ type: 'requirement.reopened', data: { name, by, reason: seen } });
    page.write();
    return { ...found, drives: [] };
  }

  /** V1 */
  async function lookedFor(need: Need): Promise<Presence> {
    const seen = await seeing.look(need);
    const way = seeing.way(need);
    if (seen.there || way.kind !== 'install') return seen;
    const why = need.evidence === '' ? `${need.name} is needed` : need.evidence;
    const end = await installs.once({ ...way.input, why, for_run: null });
    if (end.kind === 'installed') return { there: true, seen: `${installedId(way.input)} was installed` };
    return { there: false, seen: end.reason };
  }
}

/** Which version a library or a module is cannot be told by looking. */
const canBeSeen = ({ kind, version }: Need): boolean =>
  version === undefined || ['command', 'node', 'python'].includes(kind);
