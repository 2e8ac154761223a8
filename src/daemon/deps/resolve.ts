/**
 * Owns: what happens when a person says that something is there, on the page or by a command.
 *
 * V1 It is looked for before anybody goes on; what can be installed is tried again.
 * V2 What is not there is asked for again, with what was seen.
 */
import type { Drive } from '../../engine/drive.ts';
import type { Need } from '../../schema/dependency.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { WaitAnswer } from '../../schema/wait.ts';
import { type Dependencies, idOf } from '../../tools/deps/kept.ts';
import type { Sight } from '../../tools/deps/present.ts';
import type { Installs } from './installs.ts';
import type { RequirementsPage } from './page.ts';
import { type DepsPorts, nameOf } from './ports.ts';
import type { Seeing } from './sight.ts';

export type Resolved = { there: boolean; seen: string; drives: Drive[] };

export type Resolving = {
  /** Looks at the page: what people wrote there, and what it has to say now. */
  look: () => Promise<void>;
  resolve: (name: string, by: string) => Promise<Resolved>;
  /** The same; nobody waits for it. */
  resolveSoon: (name: string, by: string) => void;
};

type Around = {
  page: RequirementsPage;
  seeing: Seeing;
  installs: Installs;
  settled: () => Promise<Dependencies>;
  answerAll: (isMeant: (need: Need) => boolean, answer: WaitAnswer) => Promise<Drive[]>;
};

const PAGE = 'INSTALL_REQUIREMENTS.md';
const MOST_SEEN = 2000;

export function resolvingWith({ stores }: Pick<DepsPorts, 'stores'>, around: Around): Resolving {
  const { page, seeing, installs, settled, answerAll } = around;
  return { look, resolve, resolveSoon };

  async function look(): Promise<void> {
    const { problem, resolved } = page.look();
    if (problem !== null)
      await stores.ledger.append({ type: 'intake.rejected', data: { name: PAGE, reason: problem } });
    for (const { name, id } of resolved) {
      const intake = { kind: 'resolve', name, by: PAGE } as const;
      await stores.ledger.append({ type: 'intake.received', data: { id, intake } });
      resolveSoon(name, PAGE);
    }
    page.write();
  }

  function resolveSoon(name: string, by: string): void {
    const rejected = (error: unknown): Promise<unknown> => {
      const reason = messageOf(error).slice(0, MOST_SEEN);
      return stores.ledger.append({ type: 'intake.rejected', data: { name: `resolve ${name}`.slice(0, 255), reason } });
    };
    resolve(name, by)
      .catch(rejected)
      .catch(() => undefined); // the ledger is closed: it is said again at the next start
  }

  async function resolve(name: string, by: string): Promise<Resolved> {
    const asked = (await settled()).requirements[name];
    if (asked === undefined)
      throw new OkaError('usage', `nothing called "${name}" is needed`, { fix: 'See what is: oka requirements' });
    const found = await lookedFor(asked.need);
    const seen = found.seen.slice(0, MOST_SEEN);
    if (asked.status === 'resolved') return { ...found, drives: [] };
    if (!found.there) await stores.ledger.append({ type: 'requirement.reopened', data: { name, by, reason: seen } });
    else await stores.ledger.append({ type: 'requirement.resolved', data: { name, by, seen } });
    page.write();
    const isMeant = (need: Need): boolean => nameOf(need) === name;
    const drives = found.there ? await answerAll(isMeant, { verdict: 'arrived', text: seen, by }) : [];
    return { ...found, drives };
  }

  /** V1 */
  async function lookedFor(need: Need): Promise<Sight> {
    const seen = seeing.sight(need);
    const way = seeing.way(need);
    if (seen.there || way.kind !== 'install') return seen;
    const why = need.evidence === '' ? `${need.name} is needed` : need.evidence;
    const end = await installs.once({ ...way.input, why, for_run: null });
    if (end.kind === 'installed') return { there: true, seen: `${idOf(way.input)} was installed` };
    return { there: false, seen: end.reason };
  }
}
