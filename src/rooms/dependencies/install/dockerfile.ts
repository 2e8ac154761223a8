/** Lines for a Dockerfile that install what is needed. Pure. */
import type { Need } from '../../../core/schema/dependency.ts';

type Wanted = { need: Pick<Need, 'kind' | 'name'>; packages: readonly string[] };

const NAME = /^[a-z0-9][a-z0-9+.-]*$/;

/** One instruction for all of them; a comment where nobody knows a package. */
export function dockerfileFor(wanted: readonly Wanted[]): string {
  const packages = [...new Set(wanted.flatMap((each) => each.packages))].filter((name) => NAME.test(name)).toSorted();
  const unknown = wanted
    .filter(({ need, packages }) => packages.length === 0 && need.kind !== 'device' && need.kind !== 'capability')
    .map(({ need }) => `# not known: ${need.kind} ${printable(need.name)}`);
  const locales = wanted.flatMap(({ need }) =>
    need.kind === 'locale' && /^[A-Za-z]{2,3}_[A-Z]{2}/.test(need.name) ? [need.name] : [],
  );
  return [
    ...unknown,
    ...(packages.length === 0 ? [] : [aptLine(packages)]),
    ...[...new Set(locales)].map(localeLine),
  ].join('\n');
}

function aptLine(packages: readonly string[]): string {
  return [
    'RUN apt-get update \\',
    ' && apt-get install -y --no-install-recommends \\',
    ...packages.map((name) => `      ${name} \\`),
    ' && rm -rf /var/lib/apt/lists/*',
  ].join('\n');
}

function localeLine(name: string): string {
  const [language = '', charset = 'UTF-8'] = name.split('.');
  const set = /^utf-?8$/i.test(charset) ? 'UTF-8' : charset.replaceAll(/[^\w-]/g, '');
  return `RUN localedef -i ${language.replaceAll(/[^\w@]/g, '')} -f ${set} ${language.replaceAll(/[^\w@]/g, '')}.${set}`;
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?');
