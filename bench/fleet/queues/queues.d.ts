/** As much of the other queues as is used here, so that types are checked whether they are installed or not. */
declare module 'bullmq' {
  type Connection = { host: string; port: number; maxRetriesPerRequest: null };
  type Job = {
    updateProgress(progress: object): Promise<void>;
    moveToCompleted(value: string, token: string, fetchNext: boolean): Promise<unknown>;
  };
  export class Queue {
    constructor(name: string, options: { connection: Connection });
    addBulk(jobs: readonly { name: string; data: object }[]): Promise<unknown>;
    close(): Promise<void>;
  }
  export class Worker {
    constructor(name: string, processor: null, options: { connection: Connection; autorun: boolean });
    waitUntilReady(): Promise<unknown>;
    getNextJob(token: string, options: { block: boolean }): Promise<Job | undefined | null>;
  }
}

declare module 'pg-boss' {
  type Options = { connectionString: string; max: number; supervise: boolean; schedule: boolean };
  export class PgBoss {
    constructor(options: Options);
    on(event: 'error', listener: (error: unknown) => void): void;
    start(): Promise<unknown>;
    getDb(): { executeSql(text: string, values: readonly unknown[]): Promise<unknown> };
    createQueue(name: string): Promise<void>;
    insert(name: string, jobs: readonly { data: object }[]): Promise<unknown>;
    fetch(name: string): Promise<{ id: string }[]>;
    complete(name: string, id: string): Promise<unknown>;
  }
}
