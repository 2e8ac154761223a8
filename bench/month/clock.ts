/** A month in minutes: the time of day of this process runs ahead. Timers are as they were. */
export type Ahead = { by: (ms: number) => void; [Symbol.dispose]: () => void };

export function clockAhead(): Ahead {
  const Real = Date;
  let ahead = 0;
  const now = (): number => Real.now() + ahead;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
  return {
    by: (ms) => void (ahead += ms),
    [Symbol.dispose]: () => void (globalThis.Date = Real),
  };
}
