import { expect, it } from 'vitest';
import { learningParts } from '../../../src/kit/house/learning-parts.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { MaintenanceConfig } from '../../../src/core/schema/maintenance.ts';
import { BookStory } from '../../support/part-story.ts';

const INPUTS: readonly Json[] = [null, {}, 'a text', { body: 7 }, { fields: {} }, { body: 'a'.repeat(64) }];

it.each(INPUTS.map((input) => ({ input })))(
  'a graph of a person that is called oka.task and starts with $input stops no part',
  async ({ input }) => {
    const story = new BookStory(await learningParts(MaintenanceConfig.parse({})));
    const graph = { id: 'oka.task', sha256: 'a'.repeat(64) };
    story.tell('run.started', 'mine', { title: 'Mine', graph, input, nodes: [], budgets: {} });
    story.end('mine', 'done');
    story.begin('task');
    story.end('task', 'done');
    expect(story.page('memory/2026-01-31.md')).toContain('Task task');
  },
);
