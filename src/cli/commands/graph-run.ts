import { loadGraph } from '../../daemon/graphs.ts';
import { hosted } from '../../daemon/host.ts';
import { type Call, exits } from '../command.ts';
import { inputOption, onlyOperand } from '../operands.ts';
import { tellOutcome } from '../outcome.ts';

export async function run(call: Call): Promise<number> {
  const graph = loadGraph(onlyOperand(call, 'file'));
  const input = inputOption(call);
  const id = call.text('id') ?? `${graph.id.slice(0, 40)}-${Date.now().toString(36)}`;
  const ended = await hosted(
    call.home,
    call.signal,
    async ({ engine }) => (await engine.start(graph, { id, input })).done,
  );
  const code = tellOutcome(call, ended);
  return call.signal.aborted ? exits.interrupted : code;
}
