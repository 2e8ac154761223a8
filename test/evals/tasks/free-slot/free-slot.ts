import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read'],
  targets: [],
  criteria: () => ['The answer says when the first free hour begins.'],
  proofs: [/DTEND:20260608T103000/],
  work: ({ at, read, compute }) => {
    const events = [...read('week.ics').matchAll(/SUMMARY:(.*)\nDTSTART:\S+T(\d{4})00\nDTEND:\S+T(\d{4})00/g)].map(
      ([, title = '', from = '', to = '']) => ({ title, from, to }),
    );
    const times = ['0900', ...events.map(({ to }) => to)].toSorted();
    const free = times.find((time) => events.every(({ from, to }) => to <= time || Number(from) >= Number(time) + 100));
    const hour = `${free?.slice(0, 2)}:${free?.slice(2)}`;
    compute(hour, `sed -n 's/DTEND:.*T\\(..\\)\\(..\\)00/\\1:\\2/p' ${at('week.ics')} | grep ${hour}`);
    return `The first free hour begins at ${hour}.`;
  },
  grade: ({ answer }) => (answer.includes('10:30') ? null : `the answer is "${answer}"`),
});
