import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { CommandModule } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { renderScheduleAnswer, requestSchedule, type ScheduleAnswer } from '../request-schedule.ts';

type Act = Extract<Intake, { kind: 'schedule' }>['act'];

/** Acts on one schedule. */
export const actOnSchedule = (act: Exclude<Act, 'backfill'>): CommandModule<object, ScheduleAnswer> => ({
  run: (call) => requestSchedule(call, { act, schedule: onlyOperand(call, 'schedule') }),
  render: renderScheduleAnswer,
});

/** Acts on the clock of all schedules. */
export const actOnClock = (act: 'tick' | 'start' | 'stop'): CommandModule<object, ScheduleAnswer> => ({
  run: async (call) => {
    if (call.operands.length > 0) throw new OkaError('usage', `${act} is about all schedules and names none`);
    return requestSchedule(call, { act });
  },
  render: renderScheduleAnswer,
});
