/** Asking a person for what oka may not or cannot install: an entry of INSTALL_REQUIREMENTS.md. */
import type { Need, Requirement } from '../../schema/dependency.ts';
import type { Remedy } from '../../tools/deps/choose-remedy.ts';
import { dockerfileFor } from '../../tools/deps/dockerfile.ts';
import type { Dependencies } from '../../tools/deps/dependency-state.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';

const MOST_REASON = 4000;
/** How the reason begins when looking is of no use: it is there, and a step cannot find it. */
export const STILL_MISSED = 'it was brought before, and the step still misses it';

export type Asking = { run: string; node: string | null; need: Need; way: Remedy; reason: string };

/** The same step is entered once, however often it asks. */
export async function openRequirement(
  { ledger }: Pick<DepsPorts, 'ledger'>,
  known: Dependencies,
  asking: Asking,
): Promise<void> {
  const { run, node, need, way, reason } = asking;
  const name = nameOf(need);
  const before = known.requirements[name];
  if (before?.status === 'open' && before.by.some((each) => each.run === run && each.node === node)) return;
  const packages = way.kind === 'person' ? way.packages : [];
  const requirement: Requirement = {
    name,
    need,
    packages,
    snippet: snippetFor(need, way),
    reason: reason.slice(0, MOST_REASON),
  };
  await ledger.append({ type: 'requirement.opened', run, data: { requirement, node } });
}

export function snippetFor(need: Need, way: Remedy): string {
  if (way.kind === 'install' && way.input.by === 'node') return `RUN npm install --global ${plainName(way.input.name)}`;
  if (way.kind === 'install' && way.input.by === 'python')
    return `RUN python3 -m pip install --break-system-packages ${plainName(way.input.name)}`;
  return dockerfileFor([{ need, packages: way.kind === 'person' ? way.packages : [] }]);
}

const plainName = (name: string): string => name.replaceAll(/[^\w@/.+-]/g, '');
