import { describe, expect, it } from 'vitest';
import { modelsFrom } from '../../../src/kit/models/role-models.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { call, say } from '../../support/wire-server-reply.ts';
import { ask, environmentAt, readTool, settings, turn } from './support.ts';

describe('modelsFrom', () => {
  it('gives nobody when no model is named', () => {
    const models = modelsFrom(settings());
    expect([models.for('planner'), models.for('executor'), models.for('critic')]).toEqual([null, null, null]);
    expect(models.called('planner')).toBeNull();
  });

  it('the environment goes before config.json, a role before everything, and a task before them all', () => {
    const config = { use: 'ollama:small', roles: { planner: 'ollama:plans', critic: 'ollama:judges' } };
    const models = modelsFrom(settings({ config, environment: { OKA_MODEL: 'openai:all,critic=anthropic:strict' } }));
    const ids = (['planner', 'executor', 'critic'] as const).map((role) => models.for(role)?.id);
    expect(ids).toEqual(['ollama:plans', 'openai:all', 'anthropic:strict']);
    expect(models.for('critic', 'ollama:other')?.id).toBe('ollama:other');
  });

  it('the same name gives the same model', () => {
    const models = modelsFrom(settings({ environment: { OKA_MODEL: 'ollama:m' } }));
    expect(models.for('planner')).toBe(models.for('critic'));
    expect(models.for('planner', 'ollama:m')).toBe(models.for('critic'));
  });

  it('an invalid name, or a custom model without an address, throws when it is requested', () => {
    const models = modelsFrom(settings({ environment: { OKA_MODEL: 'custom:m' } }));
    expect(() => models.for('planner')).toThrow('a custom model needs the address of its server');
    expect(() => models.for('planner', 'gpt-5')).toThrow('model: "gpt-5" names no provider');
    expect(() => modelsFrom(settings({ environment: { OKA_CASSETTE: 'loop' } }))).toThrow('OKA_CASSETTE=loop');
  });

  it('several providers work at once, and one conversation goes on with another', async () => {
    await using server = await openWireServer(({ format, tools }) =>
      tools.length > 0 ? call('files_read', { path: format }) : say(`from ${format}`),
    );
    const environment = {
      ...environmentAt(server.url),
      OKA_MODEL: 'planner=openai:a,executor=anthropic:b,critic=ollama:c',
    };
    const models = modelsFrom(settings({ environment }));
    const history = [
      { role: 'user', text: 'Who are you?' },
      { role: 'assistant', text: 'I am oka.' },
      { role: 'user', text: 'Go on.' },
    ] as const;
    const answers = await Promise.all(
      (['planner', 'executor', 'critic'] as const).map((role) => {
        const model = models.for(role);
        if (model === null) throw new Error('no model');
        return turn(
          model,
          role === 'critic' ? 'streamed' : 'whole',
          ask('', { role, messages: history, tools: [readTool] }),
        );
      }),
    );
    expect(answers.map(({ model, call: made }) => [model, made?.input])).toEqual([
      ['openai:a', { path: 'openai' }],
      ['anthropic:b', { path: 'anthropic' }],
      ['ollama:c', { path: 'openai' }],
    ]);
    const texts = new Set(server.requests.map(({ text }) => text));
    expect([...texts]).toEqual(['You act.\nWho are you?\nI am oka.\nGo on.']);
  });
});
