/** Loaded before a program (`node --import`): SIGUSR2 blocks its event loop for good, without using the processor. */
process.on('SIGUSR2', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
