import { defineTask } from '../../eval-task.ts';
import { pdfText } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['shell'],
  targets: [],
  criteria: () => ['The answer names the cheaper company and its costs over three years.'],
  proofs: [/Per year: 310/],
  work: ({ at, shell, compute }) => {
    const texts = shell(`${pdfText(at('offer-a.pdf'))}; echo; ${pdfText(at('offer-b.pdf'))}`).split('\n\n');
    const offers = texts.map((text) => {
      const year = Number(/Per year: (\d+)/.exec(text)?.[1]);
      return { name: text.split('\n')[0], costs: Number(/Delivery: (\d+)/.exec(text)?.[1]) + 3 * year };
    });
    const [best] = offers.toSorted((a, b) => a.costs - b.costs);
    compute(
      `${best?.costs}`,
      `${pdfText(at('offer-b.pdf'))} | awk '/Per year|Delivery/ {s+=/Per/?3*$NF:$NF} END {print s}'`,
    );
    return `${best?.name} is cheaper: ${best?.costs} over three years.`;
  },
  grade: ({ answer }) => (/Birch/.test(answer) && /1030/.test(answer) ? null : `the answer is "${answer}"`),
});
