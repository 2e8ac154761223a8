/** Owns: separating options, their values and operands. */
import type { Option, Row } from './program-row.ts';
import { type Arg, HOLE } from './shell-state.ts';

type Parsed = {
  options: Option[];
  operands: Arg[] /** An option whose name is not literal. */;
  unclear: Arg | null;
};

export function parseOptions(args: readonly Arg[], row: Row): Parsed {
  const parsed: Parsed = { options: [], operands: [], unclear: null };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg.text === '--' && row.wordy !== true) {
      parsed.operands.push(...rest);
      break;
    }
    if (!/^-./.test(arg.text)) parsed.operands.push(arg);
    else if (arg.text.startsWith('--') || row.wordy === true) parseLongOption(arg, rest, row, parsed);
    else parseShortOptions(arg, rest, row, parsed);
  }
  return parsed;
}

function parseLongOption(arg: Arg, rest: Arg[], row: Row, parsed: Parsed): void {
  const equals = arg.text.indexOf('=');
  const name = equals === -1 ? arg.text : arg.text.slice(0, equals);
  if (name.includes(HOLE)) parsed.unclear = arg;
  const value =
    equals === -1
      ? takesValue(row, name)
        ? (rest.shift() ?? null)
        : null
      : { ...arg, text: arg.text.slice(equals + 1) };
  parsed.options.push({ name, value });
}

function takesValue(row: Row, name: string): boolean {
  if (row.longs?.includes(name)) return true;
  return (
    name.length > 4 && row.rules?.[name] === undefined && row.longs?.some((long) => long.startsWith(name)) === true
  );
}

function parseShortOptions(arg: Arg, rest: Arg[], row: Row, parsed: Parsed): void {
  for (let at = 1; at < arg.text.length; at += 1) {
    const letter = arg.text[at] ?? '';
    if (letter === HOLE) {
      parsed.unclear = arg;
      return;
    }
    if (row.takes?.includes(letter)) {
      const own = arg.text.slice(at + 1);
      parsed.options.push({ name: `-${letter}`, value: own === '' ? (rest.shift() ?? null) : { ...arg, text: own } });
      return;
    }
    parsed.options.push({ name: `-${letter}`, value: null });
  }
}

/** All rules an option may match: GNU programs accept any prefix of a long option's name. */
export function rulesFor(row: Row, name: string): NonNullable<Row['rules']>[string][] {
  const { rules = {} } = row;
  const exact = rules[name];
  if (exact !== undefined) return [exact];
  if (row.longs?.includes(name) || !name.startsWith('--') || name.length < 4) return [];
  return Object.entries(rules).flatMap(([each, rule]) => (each.startsWith(name) ? [rule] : []));
}
