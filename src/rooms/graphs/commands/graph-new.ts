import { createGraphText, parseGraphText } from '../../../kit/graphs/edit-graph.ts';
import { fileOfGraph } from '../../../kit/graphs/graph-files.ts';
import { type GraphTemplate, listTemplates, textFromTemplate } from '../starter-graphs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { saveVersion } from '../graph-history.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { templates: GraphTemplate[] } | { graph: string; file: string; version: string };

/** Without a template it lists them. */
export async function run(call: Call<{ as: string | undefined }>): Promise<Answer<Data>> {
  if (call.operands.length === 0) return answer({ templates: listTemplates() });
  await requireHome(call.home);
  const template = onlyOperand(call, 'template');
  const name = call.options.as ?? template;
  const text = textFromTemplate(template, name);
  const file = fileOfGraph(call.home, name);
  if (file === null) throw new OkaError('usage', `"${name}" cannot be the name of a graph`);
  createGraphText(file, text);
  const version = await saveVersion(call, { file, text, value: parseGraphText(text, name) }, 'created');
  return answer({ graph: name, file, version });
}

export function render(data: Data, terminal: Terminal): string {
  if ('templates' in data)
    return renderColumns(
      data.templates,
      [
        { text: ({ template }) => `oka graph new ${template}`, style: terminal.bold },
        { text: ({ title }) => title, grows: true },
      ],
      terminal,
    );
  const { graph, file } = data;
  return `Created ${terminal.bold(graph)}  ${terminal.dim(file)}\nEdit the file, check it with oka graph validate ${graph}, and run it with oka graph run ${graph}\n`;
}
