import { OkaError } from '../../schema/errors.ts';
import { type Call } from '../command.ts';
import { procedureNamed, wish } from '../procedure-access.ts';

export async function run(call: Call): Promise<number> {
  if (call.flag('force')) return wish(call, 'promoted');
  const { procedure } = await procedureNamed(call);
  throw new OkaError('usage', 'procedures are promoted by their numbers; a person can only put one above them', {
    fix: `If you mean it: oka procedures promote ${procedure.id} --force`,
  });
}
