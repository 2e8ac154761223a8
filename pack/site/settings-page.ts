/** Owns: the page of all settings, made from the schema that editors use. */
type Schema = {
  description?: string;
  default?: unknown;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  $ref?: string;
};

export function settingsPage(schema: object): string {
  const root = schema as Schema;
  const lines = [
    '# Settings',
    '',
    'What `.oka/rules/config.json` may contain. All of it has a default: an empty object is a whole file.',
    '',
  ];
  const plain: [string, Schema][] = [];
  for (const [name, part] of Object.entries(root.properties ?? {}).toSorted(([a], [b]) => a.localeCompare(b))) {
    if (part.properties === undefined) plain.push([name, part]);
    else lines.push(`## ${name}`, '', ...sentence(part), ...table(rowsOf(part, '')), '');
  }
  const own = plain.filter(([name]) => name !== '$schema');
  return [...lines, '## The others', '', ...table(own.map(([name, part]) => rowOf(name, part))), ''].join('\n');
}

function rowsOf(part: Schema, before: string): string[][] {
  return Object.entries(part.properties ?? {}).flatMap(([name, inner]) => {
    const path = `${before}${name}`;
    return inner.properties === undefined ? [rowOf(path, inner)] : [rowOf(path, inner), ...rowsOf(inner, `${path}.`)];
  });
}

function rowOf(name: string, part: Schema): string[] {
  const usual =
    part.default === undefined || typeof part.default === 'object' ? '' : `\`${JSON.stringify(part.default)}\``;
  return [`\`${name}\``, valuesOf(part), usual, (part.description ?? '').replaceAll('\n', ' ')].map((cell) =>
    cell.replaceAll('|', '\\|'),
  );
}

function valuesOf(part: Schema): string {
  if (part.enum !== undefined) return part.enum.map((each) => `\`${JSON.stringify(each)}\``).join(', ');
  if (part.const !== undefined) return `\`${JSON.stringify(part.const)}\``;
  const several = part.anyOf ?? part.oneOf;
  if (several !== undefined) return [...new Set(several.map(valuesOf))].filter((each) => each !== '').join(' or ');
  if (part.items !== undefined) return `list of ${valuesOf(part.items) || 'values'}`;
  return [part.type ?? ''].flat().join(' or ');
}

const sentence = ({ description }: Schema): string[] => (description === undefined ? [] : [description, '']);

const table = (rows: readonly string[][]): string[] => [
  '| setting | values | default | what for |',
  '|---|---|---|---|',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
];
