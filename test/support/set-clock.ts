/** Loaded before a program (`node --import`): its clock is wrong by as many milliseconds as the file OKA_TEST_CLOCK says. */
import fs from 'node:fs';

const { OKA_TEST_CLOCK: file = '' } = process.env;
const [Real, read] = [Date, fs.readFileSync];
const now = (): number => Real.now() + offset();

globalThis.Date = new Proxy(Real, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});

function offset(): number {
  try {
    return Number(read(file, 'utf8'));
  } catch {
    return 0;
  }
}
