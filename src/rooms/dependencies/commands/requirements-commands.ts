/** What a task needs, and getting it. */
import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { dockerfileFor } from '../install/dockerfile.ts';
import { dependencies, type OpenRequirement } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { withHost } from '../../../kit/cli/host-here.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { Json } from '../../../core/schema/json.ts';
import { answerOf } from '../../../core/schema/room.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { renderToolAnswer, requestTools, toolAnswerJson } from '../request-tools.ts';
import { flag, text } from '../../../kit/cli/options.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { describeErrno, replaceFile } from '../../../core/ledger/disk.ts';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

type RequirementsData = { requirements: OpenRequirement[] } | { dockerfile: string };

type ResolveData = { name: string; there: boolean; seen: string; went_on: string[] };

export const commands: Commands = {
  requirements: command({
    summary: 'List what you have to install; --dockerfile prints one that installs it all',
    options: {
      dockerfile: flag('Print a Dockerfile over the image of oka (OKA_IMAGE, as in the compose file; else oka:local).'),
    },
    example: 'oka requirements --dockerfile',
    run: requirementsCommand,
    render: (data, terminal) => {
      if ('dockerfile' in data) return `${data.dockerfile}\n`;
      if (data.requirements.length === 0) return 'Nothing is needed.\n';
      return data.requirements.map((each) => renderRequirement(each, terminal)).join('');
    },
  }),
  'requirements resolve': command({
    summary: 'Confirm that something is installed now; it is checked, and waiting runs go on',
    operands: '<name>',
    example: 'oka requirements resolve ffmpeg',
    run: requirementsResolve,
    render: ({ there, seen, went_on: resumed }, { green, yellow }) => {
      if (!there) return `${yellow('still missing')}  ${plainText(seen)}\n`;
      return `${green('there')}  ${plainText(seen)}; ${count(resumed.length, 'run')} went on\n`;
    },
  }),
  'requirements contents': command({
    summary: "Have requirements name the package of any program: from a Contents file of Debian's archive",
    operands: '<file>',
    options: {
      sha256: text('HASH', 'The hash that the file has to have, as the Release file of the archive states it.'),
    },
    example: 'oka requirements contents Contents-amd64.gz',
    run: takeContents,
    render: ({ commands, libraries, sha256 }) =>
      `Took ${count(commands, 'program')} and ${count(libraries, 'library', 'libraries')} from it (sha256 ${sha256}).\n`,
  }),
  'tools install': command({
    summary: 'Install a tool now: a command, node:PACKAGE, python:PACKAGE',
    operands: '<tool>',
    example: 'oka tools install node:prettier@3',
    run: async (call) => requestTools(call, [{ kind: 'install', what: onlyOperand(call, 'tool') }]),
    render: renderToolAnswer,
    jsonLines: toolAnswerJson,
  }),
};

/** Reads it once; what is kept is small, and requests that are open stay as they are. */
async function takeContents(
  call: Call<{ sha256: string | undefined }>,
): Promise<Answer<{ commands: number; libraries: number; sha256: string }>> {
  const file = onlyOperand(call, 'file');
  await requireHome(call.home);
  const bytes = readGiven(file);
  const sha256 = hash('sha256', bytes);
  if (call.options.sha256 !== undefined && call.options.sha256.toLowerCase() !== sha256)
    throw new OkaError('refused', `${file} has the hash ${sha256}, not the one that was given`);
  const [{ readContents, contentsFile }, { gunzipSync }] = await Promise.all([
    import('../install/debian-contents.ts'),
    import('node:zlib'),
  ]);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const tables = readContents((isPacked ? gunzipSync(bytes) : bytes).toString('utf8'));
  const [commands, libraries] = [Object.keys(tables.commands).length, Object.keys(tables.libraries).length];
  if (commands === 0)
    throw new OkaError('invalid-file', `${file} names no programs: it is no Contents file`, {
      fix: 'Such a file is dists/bookworm/main/Contents-amd64.gz on a mirror of Debian, for your release and machine.',
    });
  mkdirSync(dirname(contentsFile(call.home)), { recursive: true });
  replaceFile(contentsFile(call.home), JSON.stringify({ source: basename(file), sha256, ...tables }));
  return answer({ commands, libraries, sha256 });
}

function readGiven(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw describeErrno(error, file);
  }
}

/** Complete: built over the image that runs, it installs everything that is missing there. */
/** The image that the compose file names: docker build --build-arg OKA_IMAGE takes it from the environment. */
const BASE = ['ARG OKA_IMAGE=oka:local', 'FROM ${OKA_IMAGE}']; // oxlint-disable-line no-template-curly-in-string

function dockerfileText(open: readonly OpenRequirement[]): string {
  const apart = open.filter(({ packages, snippet }) => packages.length === 0 && snippet.startsWith('RUN '));
  const together = open.filter((each) => !apart.includes(each));
  const lines = [dockerfileFor(together), ...apart.map(({ snippet }) => snippet)].filter((part) => part !== '');
  return [...BASE, ...(lines.length === 0 ? ['# nothing is needed'] : asRoot(lines))].join('\n');
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

async function requirementsCommand({
  home,
  options,
}: Call<{ dockerfile: boolean }>): Promise<Answer<RequirementsData>> {
  await requireHome(home);
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const requirements = Object.values(state.requirements);
  if (!options.dockerfile) return answer({ requirements });
  return answer({ dockerfile: dockerfileText(requirements.filter(({ status }) => status === 'open')) });
}

async function requirementsResolve(call: Call): Promise<Answer<ResolveData>> {
  const name = onlyOperand(call, 'name');
  const intake = { kind: 'resolve', name, by: 'a person' } as const;
  const found = (await carryOut(call, intake, () => resolveHere(call, intake))) as Omit<ResolveData, 'name'>;
  return answer({ name, ...found }, found.there ? exits.ok : exits.no);
}

/** Without a worker the runs that waited for it go on here. */
const resolveHere = ({ home, signal, notify }: Call, intake: Intake): Promise<Json> =>
  withHost(
    home,
    signal,
    async ({ engine, handle }) => {
      const found = await answerOf(await handle(intake));
      await engine.whenIdle();
      return found;
    },
    { warn: notify },
  );
