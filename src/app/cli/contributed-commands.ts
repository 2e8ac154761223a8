/** Commands that rooms contribute: their data is rendered here, as a table or as `key: value`. */
import type { HouseRoom } from '../../kit/house/house.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { RoomCall, RoomCommand } from '../../core/schema/room.ts';
import { answer, type Call, type Command, type CommandModule } from '../../kit/cli/command-module.ts';
import { flag, type Option, text } from '../../kit/cli/options.ts';
import { renderData } from '../../kit/cli/render-data.ts';

type RoomOptions = RoomCall['options'];

/** By name. A room cannot replace a command of a table (`taken`) or of another room. */
export function contributedCommands(
  rooms: readonly HouseRoom[],
  taken: Readonly<Record<string, unknown>> = {},
): Record<string, Command> {
  const contributed: Record<string, Command> = {};
  for (const room of rooms)
    for (const [name, command] of Object.entries(room.commands ?? {})) {
      if (Object.hasOwn(taken, name) || Object.hasOwn(contributed, name))
        throw new OkaError('refused', `the room ${room.name} contributes a command that exists already: oka ${name}`);
      contributed[name] = commandOf(command);
    }
  return contributed;
}

function commandOf({ summary, operands, options = {}, example, run }: RoomCommand): Command {
  const module: CommandModule<RoomOptions, unknown> = {
    run: async (call: Call<RoomOptions>) => {
      const { home, operands: given, options: chosen, signal, notify } = call;
      const { readViews } = await import('../../kit/cli/read-views.ts');
      const views: RoomCall['views'] = (query) => readViews(call, query);
      return answer(await run({ home, operands: given, options: chosen, signal, notify, views }));
    },
    render: renderData,
  };
  return {
    summary,
    ...(operands === undefined ? {} : { operands }),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, value, about }]): [string, Option] => [
        name,
        type === 'boolean' ? flag(about) : text(value ?? 'TEXT', about),
      ]),
    ),
    json: true,
    example,
    load: () => Promise.resolve(module as unknown as CommandModule),
  };
}
