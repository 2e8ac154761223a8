import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read'],
  targets: [],
  criteria: () => ['The answer names the project with the most hours and its lead.'],
  proofs: [/Boreas,Jon/],
  work: ({ at, readAll, compute }) => {
    const [projects = '', hours = ''] = readAll(['projects.csv', 'hours.csv']);
    const totals = new Map<string, number>();
    for (const { project = '', hours: count } of parseRows(hours))
      totals.set(project, (totals.get(project) ?? 0) + Number(count));
    const [[project, most] = ['', 0]] = [...totals].toSorted(([, a], [, b]) => b - a);
    const lead = parseRows(projects).find((row) => row['project'] === project)?.['lead'] ?? '';
    compute(
      `${project} ${most}`,
      `awk -F, 'NR>1 {h[$1]+=$2} END {for (p in h) print h[p], p}' ${at('hours.csv')} | sort -n | tail -1`,
    );
    return `${project} has the most hours (${most}); ${lead} leads it.`;
  },
  grade: ({ answer }) => (/Boreas/.test(answer) && /Jon/.test(answer) ? null : 'it is Boreas, led by Jon'),
});
