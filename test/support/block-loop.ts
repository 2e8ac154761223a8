/** Loaded before a program (`node --import`): SIGUSR2 blocks its event loop for good. */
process.on('SIGUSR2', () => {
  for (;;);
});
