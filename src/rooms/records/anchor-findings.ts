/** What `oka doctor` reports about the completeness of both ledgers, and about what protects them. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../core/schema/errors.ts';
import type { Pen } from '../../core/schema/event.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { userPlaces } from '../../kit/settings.ts';
import { checkAnchors } from '../../kit/home/home-anchors.ts';
import { readIdentity } from '../../kit/home/home-identity.ts';
import { describeVerification, readVerification } from '../../kit/home/verification-state.ts';
import { findHomeKey, keyFile, printPublicKey } from '../../kit/home/home-key.ts';

const what = 'history';

export function anchorFindings(home: Home): Finding[] {
  const pens = ['run', 'maintenance'] as const satisfies Pen[];
  try {
    return [...pens.flatMap((pen) => [...completeness(home, pen), ...verification(home, pen)]), ...protection(home)];
  } catch (error) {
    return [{ state: 'bad', what, found: messageOf(error), fix: 'Check the file and its permissions.' }];
  }
}

function completeness(home: Home, pen: Pen): Finding[] {
  const check = checkAnchors(home, pen);
  switch (check.state) {
    case 'none':
      return [];
    case 'matches':
      return [{ state: 'good', what, found: `the ${pen} ledger is complete up to event ${check.seq}` }];
    case 'broken':
      return [
        {
          state: 'bad',
          what,
          found: check.reason,
          fix: 'Restore the ledger from a backup or replica, or accept the loss: oka ledger accept-rollback',
        },
      ];
  }
}

function verification(home: Home, pen: Pen): Finding[] {
  const state = readVerification(home, pen);
  const verified = describeVerification(state);
  const last: Finding[] =
    verified === null ? [] : [{ state: 'good', what, found: `the ${pen} ledger was ${verified}` }];
  const damaged = state.faults.slice(0, 5).map(
    ({ seq, reason }): Finding => ({
      state: 'bad',
      what,
      found: `event ${seq} of the ${pen} ledger is damaged: ${reason}`,
      fix: 'Restore the ledger from a backup or replica (oka verify shows where it breaks), then: oka resume RUN',
    }),
  );
  return damaged.length > 0 ? damaged : last;
}

/** What is missing weakens the protection against lost or rewritten history; work goes on without it. */
function protection(home: Home): Finding[] {
  const identity = readIdentity(home);
  if (identity === null) return [];
  const key = findHomeKey(identity.id);
  const found: Finding[] = [];
  if (key !== null) found.push({ state: 'good', what, found: `signed by ${printPublicKey(key)}` });
  else if (!canBeMade(keyFile(identity.id)))
    found.push({
      state: 'odd',
      what,
      found: `not signed: ${keyFile(identity.id)} is not there and cannot be made. Whoever can write .oka can rewrite history`,
      fix: 'Make that folder writable for this user, or set XDG_CONFIG_HOME.',
    });
  if (identity.notes === null && !canBeMade(`${userPlaces().notes}/any`))
    found.push({
      state: 'odd',
      what,
      found: `the last event is noted inside .oka only: ${userPlaces().notes} cannot be written. An older backup of .oka is not recognised as one`,
      fix: 'Make that folder writable for this user, or set XDG_STATE_HOME.',
    });
  return found;
}

/** Whether the nearest folder above that exists can be written. */
function canBeMade(file: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || folder === dirname(folder))
        return false;
    }
  }
}
