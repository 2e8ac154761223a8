import { z } from 'zod';

/** The part of config.json about searching the web; without a provider the assistant has no tool for it. */
export const SearchConfig = z
  .strictObject({
    provider: z
      .enum(['none', 'searxng', 'brave'])
      .default('none')
      .describe(
        'Who is asked: none, a SearXNG server (its JSON format has to be switched on), or Brave Search with a key.',
      ),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional()
      .describe('The address of the SearXNG server, such as http://localhost:8888; Brave has a usual one.'),
    key: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/)
      .default('brave_search')
      .describe('The name of the secret with the key: oka secrets set NAME --tool web.search --host HOST.'),
    language: z
      .string()
      .regex(/^[a-z]{2}(-[A-Z]{2})?$/)
      .optional()
      .describe('The language of results, such as en or de-AT.'),
  })
  .refine(({ provider, url }) => provider !== 'searxng' || url !== undefined, {
    message: 'searxng needs the url of the server',
    path: ['url'],
  })
  .describe('Searching the web: web.search and web.read are available once a provider is named.');
export type SearchConfig = z.infer<typeof SearchConfig>;

/** What of config.json is about searching, for whoever reads nothing else. */
export const ConfigWithSearch = z.object({ search: SearchConfig.prefault({}) });
