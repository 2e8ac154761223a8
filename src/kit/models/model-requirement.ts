/** What a task in prose waits for where no model is set; its name is in ledgers and stays as it is. */
import type { WaitFor } from '../../core/schema/wait.ts';

export const NO_MODEL = 'a language model: set OKA_MODEL, such as anthropic:claude-sonnet-4-5 or ollama:llama3.2';

export const isModelWait = (awaited: WaitFor): boolean => awaited.kind === 'requirement' && awaited.name === NO_MODEL;
