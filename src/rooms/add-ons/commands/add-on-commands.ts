/** The large parts that not everybody needs. */
import { OkaError } from '../../../core/schema/errors.ts';
import { ADD_ONS, type AddOnName, wayTo } from '../../../kit/add-ons.ts';
import { answer, type Answer, command, type Commands } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { text } from '../../../kit/cli/options.ts';
import { bytes } from '../../../kit/cli/plain-text.ts';
import { ADD_ON_NAMES, type AddOnState, describeState, stateOf } from '../installed-add-ons.ts';
import { type Installed, installAddOn, removeAddOn } from '../install-add-on.ts';

type Listed = { name: AddOnName; gives: string; megabytes: number } & AddOnState;

export const commands: Commands = {
  'add-on list': command({
    summary: 'List the large parts that not everybody needs, and which of them are installed',
    example: 'oka add-on list',
    run: async (): Promise<Answer<Listed[]>> =>
      answer(ADD_ON_NAMES.map((name) => ({ name, ...aboutOf(name), ...stateOf(name) }))),
    render: (listed, { bold }) =>
      listed
        .map(({ name, gives, ...found }) => {
          const isThere = found.state === 'included' || found.state === 'installed';
          const way = isThere ? '' : `\n  ${wayTo(name)}`;
          return `${bold(name)}  ${gives}\n  ${describeState(name, found)}${way}\n`;
        })
        .join(''),
  }),
  'add-on add': command({
    summary: 'Install an add-on, or update it to what this version needs',
    operands: '<name>',
    options: { to: text('FOLDER', 'For an image: the folder of add-ons, instead of that of this user.') },
    example: 'oka add-on add vectors',
    run: async (call): Promise<Answer<Installed>> => {
      const name = readName(onlyOperand(call, 'the name of an add-on'));
      const { to } = call.options;
      if (to === undefined && stateOf(name).state === 'included')
        throw new OkaError('refused', `${name} is among the packages of this program already`);
      call.notify(`Installing ${name}, about ${ADD_ONS[name].megabytes} MB …`);
      return answer(await installAddOn(name, { signal: call.signal, ...(to === undefined ? {} : { into: to }) }));
    },
    render: ({ name, folder, bytes: size, isNew }) =>
      isNew
        ? `${name} is installed in ${folder} (${bytes(size)}). What runs uses it when it is started again.\n`
        : `${name} is there already, in ${folder} (${bytes(size)}).\n`,
  }),
  'add-on remove': command({
    summary: 'Remove an add-on; what was made with it stays',
    operands: '<name>',
    example: 'oka add-on remove vectors',
    run: async (call): Promise<Answer<{ name: AddOnName }>> => {
      const name = readName(onlyOperand(call, 'the name of an add-on'));
      if (!removeAddOn(name)) throw new OkaError('refused', `${name} is not installed for this user`);
      return answer({ name });
    },
    render: ({ name }) =>
      `${name} is removed. ${ADD_ONS[name].gives[0]?.toUpperCase()}${ADD_ONS[name].gives.slice(1)} only with it.\n`,
  }),
};

const aboutOf = (name: AddOnName): { gives: string; megabytes: number } => {
  const { gives, megabytes } = ADD_ONS[name];
  return { gives, megabytes };
};

function readName(given: string): AddOnName {
  const name = ADD_ON_NAMES.find((each) => each === given);
  if (name !== undefined) return name;
  throw new OkaError('usage', `there is no add-on "${given}"`, { fix: `There are: ${ADD_ON_NAMES.join(', ')}` });
}
