/** The channel ntfy: what is known of it before it is opened. */
import { certificateField, defineChannel, secretField } from '../channel-definition.ts';
import { NtfyChannel } from './ntfy-settings.ts';

export const ntfy = defineChannel({
  kind: 'ntfy',
  label: 'ntfy: notifications on your phone, with buttons',
  settings: NtfyChannel,
  fields: {
    url: {
      value: 'URL',
      about: 'the address of its server.',
      ask: 'Address of the server, such as https://ntfy.example.org',
      isNeeded: true,
    },
    topic: {
      value: 'TOPIC',
      about: 'the topic that your phone subscribes to.',
      ask: 'Topic that your phone subscribes to',
      isNeeded: true,
    },
    answers: {
      value: 'TOPIC',
      about: 'the topic that buttons write answers to.',
      ask: 'Topic that buttons write answers to',
    },
    secret: { ...secretField, ask: 'Name of its access token in the vault, such as NTFY_TOKEN' },
    buttons: {
      value: 'NAME',
      about: 'the secret with a token that may only write answers.',
      ask: 'Name of a token that may only write answers',
      isSecret: true,
      beside: 'answers',
    },
    certificate: certificateField,
  },
  entryOf: ({ url, topic, answers, buttons, secret, certificate }) => ({
    url,
    topic,
    answers:
      answers === undefined
        ? undefined
        : { topic: answers, ...(buttons === undefined ? {} : { button_token: buttons }) },
    token: secret,
    certificate,
  }),
  hostsOf: ({ url = '' }) => [new URL(url).host],
  addressOf: ({ topic, url }) => `${topic} at ${new URL(url).host}`,
  answeredBy: ({ answers }) => (answers === undefined ? null : 'buttons'),
  open: async (settings, tools) => (await import('./ntfy-channel.ts')).openNtfy(settings, tools),
});
