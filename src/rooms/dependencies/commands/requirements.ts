import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { dockerfileFor } from '../install/dockerfile.ts';
import { type OpenRequirement, dependencies } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { indentWrapped } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { requirements: OpenRequirement[] } | { dockerfile: string };

export async function run({ home, options }: Call<{ dockerfile: boolean }>): Promise<Answer<Data>> {
  await requireHome(home);
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const requirements = Object.values(state.requirements);
  if (!options.dockerfile) return answer({ requirements });
  return answer({ dockerfile: dockerfileText(requirements.filter(({ status }) => status === 'open')) });
}

export function render(data: Data, terminal: Terminal): string {
  if ('dockerfile' in data) return `${data.dockerfile}\n`;
  if (data.requirements.length === 0) return 'Nothing is needed.\n';
  return data.requirements.map((each) => renderRequirement(each, terminal)).join('');
}

/** Complete: built over the image that runs, it installs everything that is missing there. */
function dockerfileText(open: readonly OpenRequirement[]): string {
  const apart = open.filter(({ packages, snippet }) => packages.length === 0 && snippet.startsWith('RUN '));
  const together = open.filter((each) => !apart.includes(each));
  const lines = [dockerfileFor(together), ...apart.map(({ snippet }) => snippet)].filter((part) => part !== '');
  return ['FROM oka:local', ...(lines.length === 0 ? ['# nothing is needed'] : asRoot(lines))].join('\n');
}

const asRoot = (lines: readonly string[]): string[] => ['USER root', ...lines, 'USER 1000:1000'];

function renderRequirement({ name, status, by, reason, packages, note }: OpenRequirement, terminal: Terminal): string {
  const { bold, dim, green, yellow } = terminal;
  const runs = by.map(({ run: id }) => id).join(', ');
  const lines = [
    `${bold(name)}  ${status === 'open' ? yellow(status) : green(status)}${packages.length === 0 ? '' : dim(`  ${packages.join(' ')}`)}`,
    indentWrapped(reason, '  ', terminal),
    ...(runs === '' ? [] : [indentWrapped(`needed by ${runs}`, '  ', terminal)]),
    ...(note === null ? [] : [indentWrapped(`last check: ${note}`, '  ', terminal)]),
  ];
  return `${lines.join('\n')}\n`;
}
