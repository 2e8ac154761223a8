/** Requests of people: to install a tool, or to remove it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Drive } from '../../core/engine/drive.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Dependencies } from '../../kit/requests/dependency-state.ts';
import { removeLinks } from '../../kit/sandbox/tool-links.ts';
import { parseNeed } from './install/requires.ts';
import { snippetFor } from './open-requirement.ts';
import type { Installs } from './installs.ts';
import type { DepsPorts } from './deps-ports.ts';
import type { NeedChecks } from './find-needs.ts';
import type { ToolRequests } from '../../kit/ports/dependencies-port.ts';

export function toolRequests(
  { home, ledger }: Pick<DepsPorts, 'home' | 'ledger'>,
  { remedyFor }: NeedChecks,
  installs: Installs,
  settled: () => Promise<Dependencies>,
): ToolRequests {
  return { install, remove };

  async function install(what: string): Promise<Drive> {
    const need = parseNeed(what);
    if (need === null)
      throw new OkaError('usage', `"${what}" cannot be read`, { fix: 'Write jq, node:prettier@3 or python:PyYAML.' });
    const found = remedyFor(need);
    if (found.kind === 'install')
      return installs.start({ ...found.input, vouched: 'operator', why: 'a person asked for it', for_run: null });
    if (found.kind === 'person' && found.packages.length > 0)
      throw new OkaError('refused', `${what}: ${found.reason}`, {
        fix: `Put this into the Dockerfile:\n${snippetFor(need, found)}`,
      });
    throw new OkaError('usage', `it is not known which package provides "${what}"`, {
      fix: 'Say where it comes from: node:PACKAGE or python:PACKAGE.',
    });
  }

  /** The ledger records it before anything is deleted; the next start removes what a crash leaves behind. */
  async function remove(what: string, reason: string): Promise<Drive | null> {
    const { installed } = await settled();
    const receipt = installed[what] ?? Object.values(installed).find(({ name }) => name === what);
    if (receipt === undefined)
      throw new OkaError('usage', `"${what}" is not installed`, { fix: 'See what is: oka tools list' });
    const { by, name, version, links, folder } = receipt;
    await ledger.append({ type: 'dependency.removed', data: { by, name, version, reason } });
    const rest = Object.values((await settled()).installed).find((each) => each.folder === folder);
    if (rest !== undefined) {
      const { why, for_run } = rest;
      return installs.start({ by: rest.by, name: rest.name, version: rest.version, vouched: 'operator', why, for_run });
    }
    removeLinks(join(home.oka, 'tools'), links);
    rmSync(join(home.oka, 'tools', folder), { recursive: true, force: true });
    return null;
  }
}
