import { expect, it } from 'vitest';
import { readFleetEnvironment } from '../../src/kit/fleet-environment.ts';

const THREE = 'nats://a:4222, b:4222,nats://c:4222';

it('a home without message servers works alone', () => {
  expect(readFleetEnvironment({ OKA_FLEET: ' , ', OKA_FLEET_NAME: 'laptop' })).toBeNull();
});

it('what is not set follows from the servers', () => {
  expect(readFleetEnvironment({ OKA_FLEET: THREE, OKA_FLEET_ACK_SECONDS: '' })).toMatchObject({
    servers: ['nats://a:4222', 'b:4222', 'nats://c:4222'],
    monitors: ['http://a:8222', 'http://b:8222', 'http://c:8222'],
    replicas: 3,
    ackWaitMs: 30_000,
    answers: 'home',
    sharing: { topics: [] },
    name: null,
  });
  expect(readFleetEnvironment({ OKA_FLEET: 'a:4222', OKA_FLEET_MEMORY: 'own' })).toMatchObject({
    replicas: 1,
    sharing: null,
  });
});

it.each([
  ['OKA_FLEET_ACK_SECONDS', 'soon', 'OKA_FLEET_ACK_SECONDS is a number above 0, not "soon"'],
  ['OKA_FLEET_REPLICAS', '0', 'OKA_FLEET_REPLICAS is a number above 0, not "0"'],
  ['OKA_FLEET_ANSWERS', 'here,laptop', 'OKA_FLEET_ANSWERS cannot be "here,laptop"'],
  ['OKA_FLEET', 'nats://', 'OKA_FLEET names message servers, not "nats://"'],
])('%s=%s is refused with the reason', (name, value, message) => {
  expect(() => readFleetEnvironment({ OKA_FLEET: 'a:4222', [name]: value })).toThrow(message);
});
