/** Which documents the site has, in the order in which somebody would read them. */
type Chapter = { title: string; pages: readonly { file: string; title: string }[] };

export const chapters: readonly Chapter[] = [
  {
    title: 'Begin',
    pages: [
      { file: 'README.md', title: 'What oka is' },
      { file: 'docs/TUTORIAL.md', title: 'Half an hour with oka' },
      { file: 'docs/TASKS.md', title: 'Tasks, and ten recipes' },
    ],
  },
  {
    title: 'How to',
    pages: [
      { file: 'docs/GRAPHS.md', title: 'Graphs' },
      { file: 'docs/CHAT.md', title: 'Conversations and agents' },
      { file: 'docs/CHANNELS.md', title: 'Being reached' },
      { file: 'docs/MAIL.md', title: 'Mail' },
      { file: 'docs/ACCOUNTS.md', title: 'Your mailbox' },
      { file: 'docs/HOOKS.md', title: 'Hooks' },
      { file: 'docs/MCP.md', title: 'Tools of MCP servers' },
      { file: 'docs/BROWSER.md', title: 'A browser for tasks' },
      { file: 'docs/SKILLS.md', title: 'Skills' },
      { file: 'docs/CONTEXT.md', title: 'What folders contain' },
      { file: 'docs/OPERATE.md', title: 'Running it for good' },
      { file: 'docs/UPGRADE.md', title: 'Updating' },
      { file: 'docs/FLEET.md', title: 'Several machines' },
    ],
  },
  {
    title: 'Look up',
    pages: [
      { file: 'docs/COMMANDS.md', title: 'Commands' },
      { file: 'share/home/rules/config.schema.json', title: 'Settings' },
      { file: 'docs/CHECKS.md', title: 'Checks' },
      { file: 'docs/POLICY.md', title: 'Permissions' },
      { file: 'docs/WORDS.md', title: 'Words' },
      { file: 'docs/STYLE.md', title: 'How oka speaks' },
      { file: 'CHANGELOG.md', title: 'Changes' },
    ],
  },
  {
    title: 'Understand',
    pages: [
      { file: 'ARCHITECTURE.md', title: 'Architecture' },
      { file: 'docs/SECURITY.md', title: 'Security' },
      { file: 'docs/RELIABILITY.md', title: 'Reliability' },
      { file: 'docs/BENCHMARKS.md', title: 'Benchmarks' },
      { file: 'docs/PERFORMANCE.md', title: 'Performance' },
      { file: 'docs/FLEET-CAPACITY.md', title: 'What a fleet can do' },
      { file: 'docs/EVALS.md', title: 'How well models do' },
      { file: 'docs/FORTNIGHT.md', title: 'A fortnight of everyday work' },
      { file: 'docs/SEEDS.md', title: 'Every promise and its test' },
      { file: 'docs/JOINTS.md', title: 'Where two parts meet' },
      { file: 'CONTRIBUTING.md', title: 'Working on oka' },
      { file: 'AGENTS.md', title: 'Rules of the house' },
    ],
  },
];
