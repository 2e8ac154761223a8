import { join } from 'node:path';
import { loadGraph } from '../../daemon/home/graph-files.ts';
import { lineClassifierOf } from '../../daemon/guard/classifier.ts';
import { loadPolicy } from '../../daemon/guard/policy-file.ts';
import { loadConfig } from '../../daemon/settings.ts';
import { builtInTools } from '../../daemon/desk/built-in-tools.ts';
import { engineOptions } from '../../daemon/engine-options.ts';
import { simulate } from '../../engine/simulate.ts';
import { given } from '../../guard/granted-approvals.ts';
import { redactShapes } from '../../guard/redact.ts';
import { openArtifacts } from '../../ledger/artifacts.ts';
import { type Call, exits } from '../command.ts';
import { inputOption, onlyOperand } from '../operands.ts';
import { bold, count, fitText, green, plainText, red, WIDTH, yellow } from '../plain-text.ts';

const MARKS = {
  allow: green('✓ allow'),
  ask: yellow('? ask'),
  deny: red('✗ deny'),
  unclear: yellow('~ unclear'),
} as const;

export async function run(call: Call): Promise<number> {
  const { home } = call;
  const graph = loadGraph(onlyOperand(call, 'file'));
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  const policy = loadPolicy(home.policy, lineClassifierOf(home));
  const nothing = given.initial();
  const options = engineOptions(
    home,
    await loadConfig(home),
    builtInTools({ desk: join(home.workspace, 'desk'), home, artifacts, startRun: () => Promise.resolve('simulated') }),
    {
      policy: () => policy,
      given: async () => nothing,
      known: () => nothing,
    },
  );
  const simulation = await simulate(options, graph, inputOption(call));
  if (call.json) call.out(`${JSON.stringify(simulation)}\n`);
  else {
    call.out(`${bold(graph.id)} would make ${count(simulation.calls.length, 'call')}; nothing was done\n`);
    for (const each of simulation.calls) {
      call.out(
        `  ${MARKS[each.verdict]}  ${fitText(`${each.node ?? ''}: ${each.tool} (${each.class}) ${plainText(JSON.stringify(each.input))}`, WIDTH - 14)}\n`,
      );
    }
  }
  return exits.ok;
}
