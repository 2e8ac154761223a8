import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.edit'],
  targets: ['config.json'],
  criteria: (at) => [
    `json: ${at('config.json')} server.port == 9090`,
    `json: ${at('config.json')} server.host == "0.0.0.0"`,
  ],
  work: ({ read, edit, verify }) => {
    if (read('config.json').includes('"port": 8080')) edit('config.json', '"port": 8080', '"port": 9090');
    verify('config.json');
    return 'The port in config.json is 9090.';
  },
  grade: ({ file }) =>
    file('config.json') ===
    '{\n  "name": "demo",\n  "server": { "host": "0.0.0.0", "port": 9090 },\n  "old_port": 80801\n}\n'
      ? null
      : 'config.json is not what it should be',
});
