import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['http.get', 'files.write', 'files.read'],
  targets: ['price.txt'],
  criteria: (at) => [`matches: ${at('price.txt')} /^\\d+\\.\\d\\d EUR/`, 'price.txt has the price of the desk lamp.'],
  proofs: [/39\.90 EUR/],
  work: ({ get, write, verify }) => {
    const price = /Price: ([\d.]+ EUR)/.exec(get('http://shop.example.net/lamp'))?.[1] ?? '';
    write('price.txt', `${price}\n`);
    verify('price.txt');
    return `The desk lamp costs ${price}.`;
  },
  grade: ({ file }) => (file('price.txt')?.trim() === '39.90 EUR' ? null : 'the price is not 39.90 EUR'),
});
