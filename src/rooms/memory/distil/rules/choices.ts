/** Learns when people answered an approval the same way in at least three tasks. */
import type { Evidence } from '../../../../core/schema/memory.ts';
import type { Grant } from '../../../../core/schema/wait.ts';
import type { Rows } from '../../../../core/schema/rows.ts';
import { sumOf } from '../../../../kit/learning/index-item.ts';
import { rootOf } from '../../../../kit/learning/task-record.ts';
import {
  evidenceOfEvent,
  type Finding,
  isPlainName,
  mergeEvidence,
  type Rule,
  independentTasks,
} from '../fact-finding.ts';
import { isByPerson } from './statements.ts';

const ENOUGH_TASKS = 3;

type Asked = { what: string };
type Counted = { approved: Evidence[]; denied: Evidence[] };

export const choices: Rule = {
  name: 'choices',
  find: ({ event }, rows) => {
    if (event.type === 'wait.opened' && event.data.for.kind === 'approval') {
      const what = describeGrant(event.data.for.asked?.grant);
      if (what !== null) rows.put(`facts/choice/${event.data.wait}`, { what } satisfies Asked);
      return [];
    }
    if (event.type !== 'wait.closed' || event.run === null) return [];
    const key = `facts/choice/${event.data.wait}`;
    const asked = rows.get<Asked>(key);
    if (asked === undefined) return [];
    rows.put(key, null);
    const { verdict } = event.data.answer;
    if (!isByPerson(event.data.answer) || verdict === 'answered') return [];
    const run = rootOf(rows, event.run);
    return countChoice(rows, asked.what, verdict === 'approved' ? 'approved' : 'denied', {
      ...evidenceOfEvent(event),
      run,
    });
  },
};

/** Describes the programs and hosts that the person was shown; null when a name is not plain. */
function describeGrant(grant: Grant | undefined): string | null {
  if (grant === undefined) return null;
  const { tool, programs, hosts } = grant;
  const names = [tool, ...programs, ...hosts];
  if (names.length < 2 || names.length > 8 || !names.every(isPlainName)) return null;
  const parts = [
    tool,
    ...(programs.length === 0 ? [] : [`with ${programs.toSorted().join(', ')}`]),
    ...(hosts.length === 0 ? [] : [`to ${hosts.toSorted().join(', ')}`]),
  ];
  return parts.join(' ');
}

function countChoice(rows: Rows, what: string, verdict: keyof Counted, evidence: Evidence): Finding[] {
  const key = `facts/chosen/${sumOf(what)}`;
  const counted = rows.get<Counted>(key) ?? { approved: [], denied: [] };
  const all: Counted = { ...counted, [verdict]: mergeEvidence(counted[verdict], [evidence]) };
  rows.put(key, all);
  const outcome = { approved: 'was allowed', denied: 'was refused' }[verdict];
  const other = verdict === 'approved' ? all.denied : all.approved;
  const common = { kind: 'preference', namespace: 'approvals', source: 'run', counted: key } as const;
  const about = `choice ${what}`;
  const tasks = independentTasks(all[verdict], rows).size;
  if (other.length === 0)
    return tasks < ENOUGH_TASKS
      ? []
      : [
          {
            ...common,
            text: `Whenever people were asked, ${what} ${outcome}.`,
            evidence: all[verdict],
            subject: { about, value: verdict, isDenied: false },
          },
        ];
  const both = mergeEvidence(all.approved, all.denied);
  if (independentTasks(other, rows).size < ENOUGH_TASKS) return [];
  return [
    {
      ...common,
      text: `People sometimes allow and sometimes refuse ${what}.`,
      evidence: both,
      subject: { about, value: 'mixed', isDenied: false },
    },
  ];
}
