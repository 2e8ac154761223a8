/** Loaded before a program (`node --require`): writes the CPU time that it took, in microseconds, to the file that OKA_CPU names. */
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeFileSync(process.env.OKA_CPU, String(user + system));
});
