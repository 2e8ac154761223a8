/** Asks a person for what oka may not or cannot install, by an entry in INSTALL_REQUIREMENTS.md. */
import type { Need, Requirement } from '../../core/schema/dependency.ts';
import type { Remedy } from './install/choose-remedy.ts';
import { dockerfileFor } from './install/dockerfile.ts';
import type { Dependencies } from '../../kit/requests/dependency-state.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';

const MOST_REASON = 4000;
/** How the reason begins when checking again is of no use: it is there, and a step cannot find it. */
export const STILL_MISSED = 'it was provided before, and the step still misses it';

/** Ledgers of earlier versions have another word in it. */
export const isStillMissed = (reason: string): boolean => /^it was (provided|brought) before, and/.test(reason);

type Asking = { run: string; node: string | null; need: Need; remedy: Remedy; reason: string };

/** A step is listed once, however often it asks. */
export async function openRequirement(
  { ledger }: Pick<DepsPorts, 'ledger'>,
  known: Dependencies,
  asking: Asking,
): Promise<void> {
  const { run, node, need, remedy, reason } = asking;
  const name = nameOf(need);
  const before = known.requirements[name];
  if (before?.status === 'open' && before.by.some((each) => each.run === run && each.node === node)) return;
  const packages = remedy.kind === 'person' ? remedy.packages : [];
  const requirement: Requirement = {
    name,
    need,
    packages,
    snippet: snippetFor(need, remedy),
    reason: reason.slice(0, MOST_REASON),
  };
  await ledger.append({ type: 'requirement.opened', run, data: { requirement, node } });
}

export function snippetFor(need: Need, remedy: Remedy): string {
  if (remedy.kind === 'install' && remedy.input.by === 'node')
    return `RUN npm install --global ${plainName(remedy.input.name)}`;
  if (remedy.kind === 'install' && remedy.input.by === 'python')
    return `RUN python3 -m pip install --break-system-packages ${plainName(remedy.input.name)}`;
  return dockerfileFor([{ need, packages: remedy.kind === 'person' ? remedy.packages : [] }]);
}

const plainName = (name: string): string => name.replaceAll(/[^\w@/.+-]/g, '');
