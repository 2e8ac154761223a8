/** What models contribute: the built-in providers, and the tool through which every completion goes. */
import { artifactsPort } from '../../core/schema/artifacts-port.ts';
import { livePort } from '../../core/schema/live-port.ts';
import { defineRoom, port } from '../../core/schema/room.ts';
import type { Models } from './role-models.ts';

/** The models that are set up in a home; given by rooms/models, which knows keys and routes. */
export const modelsPort = port<Models>('models');

export const models = defineRoom({
  name: 'kit/models',
  providers: async () => (await import('./built-in-providers.ts')).builtInProviders,
  schemas: async () => ({ model: (await import('../../core/schema/model.ts')).ModelSettings }),
  tools: ['model.complete'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // a recorded answer of a model is never asked for again
    return [(await import('./model-tool.ts')).modelTool({ for: () => null, called: () => null })];
  },
  needs: { models: modelsPort, live: livePort, artifacts: artifactsPort },
  open: async ({ models: known, live, artifacts }) => {
    const { modelTool } = await import('./model-tool.ts');
    return { tools: [modelTool(known, { live, artifacts })] };
  },
});
