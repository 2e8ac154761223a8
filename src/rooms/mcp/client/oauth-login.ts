/** A login at an MCP server, as it is stored. It is read without the library that made it (oauth-client.ts). */
import { z } from 'zod';

export const Login = z.strictObject({
  /** The address of the MCP server; the tokens are for its origin only. */
  url: z.string(),
  resource: z.string(),
  issuer: z.string(),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  authMethods: z.array(z.string()).nullable(),
  clientId: z.string(),
  clientSecret: z.string().nullable(),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.number().nullable(),
});
export type Login = z.infer<typeof Login>;
