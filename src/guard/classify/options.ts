/** Owns: telling options, their values and other words apart. */
import type { Option, Row } from './row.ts';
import { type Arg, HOLE } from './scene.ts';

export type Told = {
  options: Option[];
  operands: Arg[] /** An option whose name is not literal. */;
  unclear: Arg | null;
};

export function optionsIn(args: readonly Arg[], row: Row): Told {
  const told: Told = { options: [], operands: [], unclear: null };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg.text === '--' && row.wordy !== true) {
      told.operands.push(...rest);
      break;
    }
    if (!/^-./.test(arg.text)) told.operands.push(arg);
    else if (arg.text.startsWith('--') || row.wordy === true) long(arg, rest, row, told);
    else short(arg, rest, row, told);
  }
  return told;
}

function long(arg: Arg, rest: Arg[], row: Row, told: Told): void {
  const equals = arg.text.indexOf('=');
  const name = equals === -1 ? arg.text : arg.text.slice(0, equals);
  if (name.includes(HOLE)) told.unclear = arg;
  const value =
    equals === -1
      ? takesValue(row, name)
        ? (rest.shift() ?? null)
        : null
      : { ...arg, text: arg.text.slice(equals + 1) };
  told.options.push({ name, value });
}

function takesValue(row: Row, name: string): boolean {
  if (row.longs?.includes(name)) return true;
  return (
    name.length > 4 && row.rules?.[name] === undefined && row.longs?.some((long) => long.startsWith(name)) === true
  );
}

function short(arg: Arg, rest: Arg[], row: Row, told: Told): void {
  for (let at = 1; at < arg.text.length; at += 1) {
    const letter = arg.text[at] ?? '';
    if (letter === HOLE) {
      told.unclear = arg;
      return;
    }
    if (row.takes?.includes(letter)) {
      const own = arg.text.slice(at + 1);
      told.options.push({ name: `-${letter}`, value: own === '' ? (rest.shift() ?? null) : { ...arg, text: own } });
      return;
    }
    told.options.push({ name: `-${letter}`, value: null });
  }
}

/** Every rule an option may mean. GNU programs take any beginning of a long option's name. */
export function rulesFor(row: Row, name: string): NonNullable<Row['rules']>[string][] {
  const { rules = {} } = row;
  const exact = rules[name];
  if (exact !== undefined) return [exact];
  if (row.longs?.includes(name) || !name.startsWith('--') || name.length < 4) return [];
  return Object.entries(rules).flatMap(([each, rule]) => (each.startsWith(name) ? [rule] : []));
}
