import { isSetUp } from '../../daemon/home/set-up.ts';
import { peek } from '../../ledger/peek.ts';
import { OkaError } from '../../schema/errors.ts';
import { dockerfileFor } from '../../tools/deps/dockerfile.ts';
import { type Asked, dependencies } from '../../tools/deps/kept.ts';
import { type Call, exits } from '../command.ts';
import { bold, dim, fitText, green, plainText, WIDTH, yellow } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const { home, json, out, flag } = call;
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
  const { state } = await peek(home.ledgers.run, home.oka, dependencies);
  const all = Object.values(state.requirements);
  const open = all.filter(({ status }) => status === 'open');
  if (flag('dockerfile')) out(dockerfileText(open, json));
  else if (json) out(`${JSON.stringify({ requirements: all })}\n`);
  else if (all.length === 0) out('Nothing is needed.\n');
  else for (const each of all) out(lines(each));
  return exits.ok;
}

/** Whole as it stands: built over the image that runs, it brings everything that is missing there. */
function dockerfileText(open: readonly Asked[], json: boolean): string {
  const apart = open.filter(({ packages, snippet }) => packages.length === 0 && snippet.startsWith('RUN '));
  const together = open.filter((each) => !apart.includes(each));
  const lines = [dockerfileFor(together), ...apart.map(({ snippet }) => snippet)].filter((part) => part !== '');
  const text = ['FROM oka:local', ...(lines.length === 0 ? ['# nothing is needed'] : asRoot(lines))].join('\n');
  return json ? `${JSON.stringify({ dockerfile: text })}\n` : `${text}\n`;
}

const asRoot = (lines: readonly string[]): string[] => ['USER root', ...lines, 'USER 1000:1000'];

function lines({ name, status, by, reason, packages, note }: Asked): string {
  const runs = by.map(({ run }) => run).join(', ');
  return [
    `${bold(name)}  ${status === 'open' ? yellow(status) : green(status)}${packages.length === 0 ? '' : dim(`  ${packages.join(' ')}`)}`,
    `  ${fitText(plainText(reason), WIDTH - 2)}`,
    ...(runs === '' ? [] : [`  needed by ${fitText(runs, WIDTH - 12)}`]),
    ...(note === null ? [] : [`  last looked: ${fitText(plainText(note), WIDTH - 15)}`]),
    '',
  ].join('\n');
}
