/** What the desk contributes: the built-in tools, one writing call at a time in a place, in a sandbox; undo; what a crash left. */
import { livePort } from '../../core/schema/live-port.ts';
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, ledger, events, projections, artifacts, onDurable, egress, policy, runs, reportRun, tools } =
  ports;
const { skills, folders, sandbox, shadow, witness, deskTurn, deskPlaced } = ports;

export const desk = defineRoom({
  name: 'rooms/desk',
  events: ['desk.awaited', 'desk.kept', 'run.undone', 'intake.rejected'],
  projections: async () => [
    (await import('./open-desk-calls.ts')).openDeskCalls,
    (await import('../../kit/runs/written-instructions.ts')).writtenInstructions,
  ],
  tools: [
    'shell',
    'skill.run',
    'files.list',
    'files.read',
    'files.search',
    'files.write',
    'files.edit',
    'files.move',
    'files.remove',
    'http.get',
    'http.request',
    'human.ask',
    'run.start',
  ],
  findings: async (at) => (await import('./folder-finding.ts')).folderFindings(at),
  detachedTools: async (place) => (await import('./built-in-tools.ts')).detachedBuiltInTools(place),
  needs: {
    home,
    config,
    ledger,
    events,
    projections,
    artifacts,
    onDurable,
    egress,
    policy,
    runs,
    reportRun,
    live: livePort,
    skills,
    tools,
  },
  gives: { folders, sandbox, shadow, witness, deskTurn, deskPlaced },
  open: async (needed) => (await import('./open-desk.ts')).openDesk(needed),
});
