/** The context tree as programs use it in the name of one agent. */
import type { ContextView, FrameID, FrameType, NodeContext } from './frame.ts';

/** What an agent may do with frames; a reader that writes, or an agent that nobody knows, is an error that says so. */
export type AgentAdapter = {
  readonly agent: string;
  /** The node and the frames that the view selects; changes nothing. */
  readContext: (node: string, view?: Partial<ContextView>) => Promise<NodeContext>;
  /** Adds a frame; the same one again gives the same id and changes nothing. */
  writeContext: (node: string, frame: { type: FrameType; content: string }) => Promise<FrameID>;
  /** Makes the frames of a node and of everything below it, without a model. */
  synthesize: (node: string, type: FrameType) => Promise<FrameID>;
  /** Lets a model write the frame of a node; `prompt` says what it is to pay attention to. */
  generateFrame: (node: string, prompt: string, type: FrameType) => Promise<FrameID>;
};
