/** What is set about models from outside. Free of imports: every command reads it. */

/** The names in the environment that matter here; an empty one is as good as none. */
export const environmentNames = [
  'OKA_MODEL',
  'OKA_MODEL_URL',
  'OKA_MODEL_KEY',
  'OKA_CASSETTE',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'OLLAMA_HOST',
] as const;
export type ModelEnvironment = Readonly<Partial<Record<(typeof environmentNames)[number], string>>>;
