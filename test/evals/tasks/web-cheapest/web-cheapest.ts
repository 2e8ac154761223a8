import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['http.get'],
  targets: [],
  criteria: () => ['The answer names the cheapest chair with delivery.'],
  proofs: [/Chair Fjord/],
  work: ({ getAll }) => {
    const chairs = getAll([1, 2, 3].map((number) => `http://shop.example.net/chair-${number}`)).map((page) => {
      const [price, delivery] = [/Price: (\d+)/, /Delivery: (\d+)/].map((shape) => Number(shape.exec(page)?.[1]));
      return { name: /Chair (\w+)/.exec(page)?.[0], costs: (price ?? 0) + (delivery ?? 0) };
    });
    const [best] = chairs.toSorted((a, b) => a.costs - b.costs);
    return `${best?.name} is the cheapest: ${best?.costs} EUR with delivery.`;
  },
  grade: ({ answer }) => (/Fjord/.test(answer) && /94/.test(answer) ? null : `the answer is "${answer}"`),
});
