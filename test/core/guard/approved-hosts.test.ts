import { describe, expect, it } from 'vitest';
import { parseApprovedHosts, splitApprovedHosts } from '../../../src/core/guard/approved-hosts.ts';

describe('hosts that an approval names', () => {
  it('are hosts with or without a port, each once, in lower case', () => {
    expect(parseApprovedHosts(['Git.Example.ORG', 'git.example.org', '10.0.0.5:3000', '[::1]:8080', 'a.b.'])).toEqual([
      'git.example.org',
      '10.0.0.5:3000',
      '[::1]:8080',
      'a.b',
    ]);
  });

  it.each(['*', '*.example.org', 'http://a.b', 'a.b/c', 'a b', '', 'a:0', 'a:99999', '[1.2.3.4]', 'a.b:x', '[::1'])(
    '%j is none',
    (word) => {
      expect(() => parseApprovedHosts([word])).toThrow('is not a host');
    },
  );

  it('are a bounded number', () => {
    expect(() => parseApprovedHosts(Array.from({ length: 21 }, (_, index) => `h${index}.example.org`))).toThrow('20');
  });

  it('only an address, a name with its port and a name of the own network may be of the own network', () => {
    expect(
      splitApprovedHosts(['git.example.org', '10.0.0.5:3000', '[::1]', 'localhost', 'nas.example.org:8443']),
    ).toEqual({
      hosts: ['git.example.org'],
      servers: ['10.0.0.5:3000', '[::1]', 'localhost', 'nas.example.org:8443'],
    });
  });
});
