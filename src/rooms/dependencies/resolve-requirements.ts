/**
 * Owns: what happens when a person reports that a requirement is met, on the page or by a command.
 *
 * V1 It is checked before any run resumes; what can be installed is tried again.
 * V2 What is still missing is asked for again, with what the check found.
 * V3 What arrived without a report is noticed: at the first poll, after an installation, and every 30 seconds.
 */
import type { Drive } from '../../core/engine/drive.ts';
import type { Need } from '../../core/schema/dependency.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import { type OpenRequirement, type Dependencies, installedId } from '../../kit/requests/dependency-state.ts';
import { isStillMissed } from './open-requirement.ts';
import type { Installs } from './installs.ts';
import type { RequirementsPage } from './requirements-page.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import type { NeedChecks } from './find-needs.ts';
import type { Presence, RequirementResolver, Resolved } from '../../kit/ports/dependencies-port.ts';

type ResolverParts = {
  page: RequirementsPage;
  finder: NeedChecks;
  installs: Installs;
  /** The dependencies once everything appended so far is durable. */
  durable: () => Promise<Dependencies>;
  answerAll: (isMet: (need: Need) => boolean, answer: WaitAnswer) => Promise<Drive[]>;
};

const PAGE = 'INSTALL_REQUIREMENTS.md';
const MOST_SEEN = 2000;
const NOTICE_EVERY_MS = 30_000;

export function resolveRequirements({ ledger }: Pick<DepsPorts, 'ledger'>, parts: ResolverParts): RequirementResolver {
  const { page, finder, durable } = parts;
  const requests = requestCloser(ledger, parts);
  let noticedAt = Number.NEGATIVE_INFINITY;
  return { poll, notice, resolve: resolveRecorded };

  async function poll(): Promise<void> {
    const { problem, resolved } = page.poll();
    if (problem !== null) await ledger.append({ type: 'intake.rejected', data: { name: PAGE, reason: problem } });
    for (const { name, id } of resolved) {
      const intake = { kind: 'resolve', name, by: PAGE } as const;
      await ledger.append({ type: 'intake.received', data: { id, intake } });
      resolveRecorded(name, PAGE).catch(() => undefined); // it is in the ledger
    }
    if (performance.now() - noticedAt > NOTICE_EVERY_MS)
      await notice().catch((error: unknown) => recordFailure('what is there by now', error));
    page.write();
  }

  /** Closes requests that nobody reported as resolved (V3). */
  async function notice(): Promise<void> {
    noticedAt = performance.now();
    for (const request of Object.values((await durable()).requirements)) {
      const { need, status, reason } = request;
      if (status !== 'open' || isStillMissed(reason) || !canBeChecked(need)) continue;
      const { there, seen, blind } = await finder.check(need);
      if (there && blind !== true) await requests.close(request, 'oka', seen);
    }
  }

  async function resolve(name: string, by: string): Promise<Resolved> {
    const request = (await durable()).requirements[name];
    if (request === undefined)
      throw new OkaError('usage', `nothing called "${name}" is needed`, { fix: 'See what is: oka requirements' });
    const found = await checkOrInstall(request.need, parts);
    const seen = found.seen.slice(0, MOST_SEEN);
    if (request.status === 'resolved') return { ...found, drives: await requests.drivesOf(request) };
    if (found.there) return { ...found, drives: await requests.close(request, by, seen) };
    await ledger.append({ type: 'requirement.reopened', data: { name, by, reason: seen } });
    page.write();
    return { ...found, drives: [] };
  }

  function resolveRecorded(name: string, by: string): Promise<Resolved> {
    const resolved = resolve(name, by);
    resolved.catch((error: unknown) => recordFailure(`resolve ${name}`, error)).catch(() => undefined); // the ledger is closed; the page is read again at the next start
    return resolved;
  }

  async function recordFailure(name: string, error: unknown): Promise<void> {
    const reason = messageOf(error).slice(0, MOST_SEEN);
    await ledger.append({ type: 'intake.rejected', data: { name: name.slice(0, 255), reason } });
  }
}

type RequestCloser = {
  /** Records a request as resolved and answers the waits for it; the runs that resumed. */
  close: (request: OpenRequirement, by: string, seen: string) => Promise<Drive[]>;
  /** The runs that resumed when the request was closed in this process. */
  drivesOf: (request: OpenRequirement) => Promise<Drive[]>;
};

/** Each request is closed once, however many notice at the same time that it is met. */
function requestCloser(
  ledger: DepsPorts['ledger'],
  { page, answerAll }: Pick<ResolverParts, 'page' | 'answerAll'>,
): RequestCloser {
  const closed = new Map<string, Promise<Drive[]>>();
  const keyOf = ({ name, opened }: OpenRequirement): string => `${name} ${opened}`;
  return { close, drivesOf: async (request) => (await closed.get(keyOf(request))) ?? [] };

  function close(request: OpenRequirement, by: string, seen: string): Promise<Drive[]> {
    const key = keyOf(request);
    const drives = closed.get(key) ?? recordAndAnswer(request, by, seen);
    closed.set(key, drives);
    drives.catch(() => closed.delete(key)); // whoever awaits it gets the error; the next one tries anew
    return drives;
  }

  async function recordAndAnswer({ name }: OpenRequirement, by: string, seen: string): Promise<Drive[]> {
    await ledger.append({ type: 'requirement.resolved', data: { name, by, seen: seen.slice(0, MOST_SEEN) } });
    page.write();
    return answerAll((need) => nameOf(need) === name, { verdict: 'arrived', text: seen, by });
  }
}

/** What can be installed is tried again (V1). */
async function checkOrInstall(
  need: Need,
  { finder, installs }: Pick<ResolverParts, 'finder' | 'installs'>,
): Promise<Presence> {
  const presence = await finder.check(need);
  const remedy = finder.remedyFor(need);
  if (presence.there || remedy.kind !== 'install') return presence;
  const why = need.evidence === '' ? `${need.name} is needed` : need.evidence;
  const end = await installs.once({ ...remedy.input, why, for_run: null });
  if (end.kind === 'installed') return { there: true, seen: `${installedId(remedy.input)} was installed` };
  return { there: false, seen: end.reason };
}

/** The version of a library or a module cannot be checked. */
const canBeChecked = ({ kind, version }: Need): boolean =>
  version === undefined || ['command', 'node', 'python'].includes(kind);
