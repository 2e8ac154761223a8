/** Mastra workflows with its LibSQL store. */
import { join } from 'node:path';
import { Mastra } from '@mastra/core';
import { createStep, createWorkflow, type Workflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { measurePeer, type Run, step, stepsDone, type Work } from './work.ts';

const schemas = { inputSchema: z.object({ text: z.string() }), outputSchema: z.object({ text: z.string() }) };

await measurePeer(async (work) => {
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(work.folder, 'mastra.db')}` });
  await storage.init();
  if (work.durability === 'ours') await storage.client.execute('PRAGMA synchronous = FULL');
  const workflow = workflowOf(work);
  const mastra = new Mastra({ storage, logger: false, workflows: { bench: workflow } });
  const run: Run = async (first) => {
    const outcome = await (await mastra.getWorkflow('bench').createRun()).start({ inputData: { text: first } });
    if (outcome.status !== 'success') throw new Error(`the run ended as ${outcome.status}`);
    return outcome.result.text;
  };
  return run;
});

function workflowOf({ shape, steps }: Work): Workflow {
  const named = (id: string) =>
    createStep({ id, ...schemas, execute: async ({ inputData }) => ({ text: step(inputData.text) }) });
  let workflow = createWorkflow({ id: 'bench', ...schemas });
  if (shape === 'loop')
    workflow = workflow.dountil(named('n1'), async ({ inputData }) => stepsDone(inputData.text) >= steps);
  else for (let index = 1; index <= steps; index += 1) workflow = workflow.then(named(`n${index}`));
  return workflow.commit();
}
