/** What takes the place of ports where tools are only judged: whoever uses it has invoked a tool in a simulation. */
import { OkaError } from '../core/schema/errors.ts';

export function refuseUse(): never {
  throw new OkaError('refused', 'a simulation invokes no tool');
}

/** For ports of any type. */
export const unusedPorts = new Proxy({}, { get: () => refuseUse }) as never;
