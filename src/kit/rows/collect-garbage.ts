/**
 * Gives back to the system what this thread no longer uses. V8 collects garbage when it needs room, not when a thread has
 * nothing to do, and keeps the pages. The thread stands still for a tenth of a second if it has much in memory.
 */
export async function collectGarbage(): Promise<void> {
  try {
    const { Session } = await import('node:inspector/promises'); // the function `gc` would need a flag of the whole process
    const session = new Session();
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
    session.disconnect();
  } catch {
    // a Node without an inspector keeps what it has
  }
}
