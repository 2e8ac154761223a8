/** The port through which tools report what they do while they work; given by rooms/live. Loads nothing. */
import { port } from './room.ts';

export type StepCall = { run: string; node: string | null; call: string };

export type LiveSteps = {
  /** What a command writes. */
  output: (call: StepCall, chunk: Uint8Array) => void;
  /** A chunk of a model's answer; its thoughts and calls are `hidden`: counted, not shown. */
  answer: (call: StepCall, chunk: { text?: string; hidden?: string }) => void;
  end: (call: StepCall) => void;
  /** Whether anybody sees it. */
  isWatched: () => boolean;
};

export const livePort = port<LiveSteps>('live');
