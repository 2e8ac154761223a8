/** LangGraph with its SQLite saver. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { measurePeer, type Run, step, stepsDone, type Work } from './work.ts';

await measurePeer(async (work) => {
  const checkpointer = SqliteSaver.fromConnString(join(work.folder, 'langgraph.db'));
  if (work.durability === 'ours') checkpointer.db.pragma('synchronous = FULL');
  const graph = graphOf(work).compile({ checkpointer });
  const durability = work.durability === 'ours' ? { durability: 'sync' as const } : {};
  const run: Run = async (first) => {
    const options = { recursionLimit: work.steps + 2, configurable: { thread_id: randomUUID() }, ...durability };
    return (await graph.invoke({ text: first }, options)).text;
  };
  return run;
});

function graphOf({ shape, steps }: Work): StateGraph {
  const graph = new StateGraph(Annotation.Root({ text: Annotation() }));
  const names = Array.from({ length: shape === 'chain' ? steps : 1 }, (_, index) => `n${index + 1}`);
  for (const name of names) graph.addNode(name, ({ text }) => ({ text: step(text) }));
  for (const [index, name] of names.entries()) graph.addEdge(names[index - 1] ?? START, name);
  if (shape === 'chain') graph.addEdge(`n${steps}`, END);
  else graph.addConditionalEdges('n1', ({ text }) => (stepsDone(text) < steps ? 'n1' : END));
  return graph;
}
