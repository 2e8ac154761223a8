/** Owns: the names of environment variables about models. Has no imports, since every command loads it. */

/** The variables that are read; an empty one counts as not set. */
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
