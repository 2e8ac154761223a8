import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['http.get', 'files.write', 'files.read'],
  targets: ['hours.txt'],
  criteria: (at) => [`file: ${at('hours.txt')} is not empty`, 'hours.txt has the opening hours of Bergen.'],
  proofs: [/10:00 to 17:30/],
  work: ({ get, write, verify }) => {
    const link = /href="([^"]+)">Bergen/.exec(get('http://shop.example.net/'))?.[1] ?? '';
    const hours = /Open: ([^<\n]+)/.exec(get(`http://shop.example.net${link}`))?.[1] ?? '';
    write('hours.txt', `Bergen: ${hours}\n`);
    verify('hours.txt');
    return `The branch in Bergen is open ${hours}.`;
  },
  grade: ({ file }) => (/10:00 to 17:30/.test(file('hours.txt') ?? '') ? null : 'the hours are wrong'),
});
