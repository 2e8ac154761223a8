import { loadGraph } from '../../daemon/home/graph-files.ts';
import { withHost } from '../../daemon/host.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { inputOption, onlyOperand } from '../operands.ts';
import { tellOutcome } from '../run-outcome.ts';

export async function run(call: Call): Promise<number> {
  const graph = loadGraph(onlyOperand(call, 'file'));
  const input = inputOption(call);
  const id = call.text('id') ?? `${graph.id.slice(0, 40)}-${Date.now().toString(36)}`;
  const ended = await withHost(call.home, call.signal, async ({ engine }) => {
    if (call.text('id') !== undefined && (await engine.stateOf(id)) !== null) throw nameIsTaken(id);
    return (await engine.start(graph, { id, input })).done;
  });
  const code = tellOutcome(call, ended);
  return call.signal.aborted ? exits.interrupted : code;
}

function nameIsTaken(id: string): OkaError {
  return new OkaError('usage', `there is a run "${id}" already, and a name means one run`, {
    fix: `Choose another name, or look at it: oka show ${id}`,
  });
}
