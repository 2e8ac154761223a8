/** What the home itself contributes: its folders, settings and graph files, tidying, and archiving old runs. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, liveLedger, ledger, taskGraph, tidy, runs, projections, artifacts, tools, nodeKinds, shadow } =
  ports;

export const homeRoom = defineRoom({
  name: 'rooms/records',
  events: ['storage.tidied', 'intake.rejected', 'ledger.damage_found'],
  findings: async (at, { loadConfig }) => [
    ...(await (await import('./home-findings.ts')).homeFindings(at, loadConfig)),
    ...(await import('./anchor-findings.ts')).anchorFindings(at),
  ],
  check: async (at) => {
    (await import('../../kit/home/set-up.ts')).assertComplete(at);
    (await import('./other-writers.ts')).assertNoOtherWriters(at);
    (await import('./private-files.ts')).tightenFiles(at);
  },
  tidy: async (tidying) => (await import('./tidy-artifacts.ts')).tidyArtifacts(tidying),
  needs: { home, config, liveLedger, ledger, taskGraph, tidy, runs, projections, artifacts, tools, nodeKinds, shadow },
  open: async (needed) => {
    const { backgroundTidy } = await import('./background-tidy.ts');
    const { verifyInBackground } = await import('./background-verify.ts');
    const tidying = backgroundTidy(needed);
    const verification = verifyInBackground(needed);
    return {
      intakes: {
        tidy: async (intake) => ({ answer: tidying.ask(intake) }),
        archive: async ({ before }) => {
          const { archiveRuns } = await import('../../core/ledger/archive-runs.ts');
          const most = needed.config.ledger.segment_mb * 1024 * 1024;
          return { answer: Promise.resolve(await archiveRuns(needed.liveLedger, new Date(before), most)) };
        },
      },
      close: async () => {
        await verification.end();
        await tidying.end();
      },
    };
  },
});
