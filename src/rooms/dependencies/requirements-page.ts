/**
 * Owns: the file workspace/INSTALL_REQUIREMENTS.md: it is read when people change it and written when the ledger
 * has something new.
 *
 * F1 What people write around the sections stays. A change counts once two polls in a row found the same file.
 * F2 Only a regular file is read and replaced; a link or a pipe is reported once and left alone.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertRegularFile, lstatIfPresent, replaceFile, stampOf } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Dependencies } from '../../kit/requests/dependency-state.ts';
import { type Machine, PACKAGE_MANAGERS } from '../../kit/sandbox/system-package.ts';
import { renderRequirements, readStatuses } from './install/render-requirements.ts';
import { findMachine } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';

type PagePoll = { problem: string | null; resolved: { name: string; id: string }[] };
export type RequirementsPage = { poll: () => PagePoll; write: () => void };

const MOST_BYTES = 2_000_000;
const NOTHING: PagePoll = { problem: null, resolved: [] };

export function requirementsPage(
  home: Home,
  known: () => Dependencies,
  machine: Machine | null = findMachine(PACKAGE_MANAGERS),
): RequirementsPage {
  const file = join(home.workspace, 'INSTALL_REQUIREMENTS.md');
  let settled = '';
  let seen = '';
  let written = '';
  return { poll, write };

  function poll(): PagePoll {
    const stamp = stampOf(file);
    if (stamp === settled) return NOTHING;
    if (stamp !== seen) {
      seen = stamp;
      return NOTHING;
    }
    settled = stamp;
    try {
      return { problem: null, resolved: newlyResolved(readRequirements(file)) };
    } catch (error) {
      return { problem: messageOf(error), resolved: [] };
    }
  }

  /** What people marked as resolved while the ledger still has it open. */
  function newlyResolved(text: string): PagePoll['resolved'] {
    const { requirements } = known();
    return [...readStatuses(text)].flatMap(([name, status]) => {
      const asked = requirements[name];
      if (status !== 'resolved' || asked?.status !== 'open') return [];
      return [
        {
          name,
          id: `requirement-${hash('sha256', JSON.stringify([name, asked.opened, asked.note, stampOf(file)])).slice(0, 16)}`,
        },
      ];
    });
  }

  function write(): void {
    const asked = Object.values(known().requirements);
    const now = JSON.stringify(asked);
    if (now === written || (asked.length === 0 && written === '')) return;
    try {
      const before = readRequirements(file);
      const text = renderRequirements(before, asked, machine);
      if (text !== before) replaceFile(file, text);
      written = now;
      settled = stampOf(file);
    } catch {
      // the next poll reports it, and the ledger has everything
    }
  }
}

function readRequirements(file: string): string {
  assertRegularFile(file);
  const found = lstatIfPresent(file);
  if (found === undefined) return '';
  if (found.size > MOST_BYTES) throw new Error(`${file} is larger than ${MOST_BYTES / 1e6} MB`);
  return readFileSync(file, 'utf8');
}
