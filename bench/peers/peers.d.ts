/** As much of the peers as is used here, so that types are checked whether they are installed or not. */
declare module '@langchain/langgraph' {
  type State = { text: string };
  type Options = { recursionLimit: number; configurable: { thread_id: string }; durability?: 'sync' };
  export const START: string;
  export const END: string;
  export const Annotation: (() => object) & { Root: (channels: { text: object }) => object };
  export class StateGraph {
    constructor(annotation: object);
    addNode(name: string, work: (state: State) => State): this;
    addEdge(from: string, to: string): this;
    addConditionalEdges(from: string, next: (state: State) => string): this;
    compile(options: { checkpointer: object }): { invoke(input: State, options: Options): Promise<State> };
  }
}

declare module '@langchain/langgraph-checkpoint-sqlite' {
  export class SqliteSaver {
    static fromConnString(path: string): SqliteSaver;
    db: { pragma(text: string): unknown };
  }
}

declare module '@mastra/core' {
  import type { Workflow } from '@mastra/core/workflows';
  export class Mastra {
    constructor(options: { storage: object; logger: false; workflows: Record<string, Workflow> });
    getWorkflow(name: string): Workflow;
  }
}

declare module '@mastra/core/workflows' {
  type Data = { text: string };
  type Given = { inputData: Data };
  type Schemas = { inputSchema: object; outputSchema: object };
  type Outcome = { status: 'success'; result: Data } | { status: 'failed' };
  export type Step = { id: string };
  export type Workflow = {
    then(step: Step): Workflow;
    dountil(step: Step, done: (given: Given) => Promise<boolean>): Workflow;
    commit(): Workflow;
    createRun(): Promise<{ start(given: Given): Promise<Outcome> }>;
  };
  export function createStep(options: Step & Schemas & { execute: (given: Given) => Promise<Data> }): Step;
  export function createWorkflow(options: { id: string } & Schemas): Workflow;
}

declare module '@mastra/libsql' {
  export class LibSQLStore {
    constructor(options: { id: string; url: string });
    init(): Promise<void>;
    /** Private in its own types; the only access to the connection whose settings count. */
    client: { execute(sql: string): Promise<unknown> };
  }
}
