import { describe, expect, it } from 'vitest';
import { TransportError, type TransportFailure } from '../transport/transport.error.js';
import { KubeApiError } from './kube-client.port.js';
import { outage, refusal } from './kube-status.js';

const status = (fields: object) => JSON.stringify({ kind: 'Status', status: 'Failure', ...fields });

describe('a refusal of an API server', () => {
  it.each<[code: number, body: string, reason: string, said: string]>([
    [403, status({ reason: 'Forbidden', message: 'not yours' }), 'Forbidden', 'not yours'],
    [409, status({ reason: 'AlreadyExists', message: 'there' }), 'AlreadyExists', 'there'],
    [410, status({ reason: 'Gone', message: 'too old' }), 'Expired', 'too old'],
    [410, status({ reason: 'Expired', message: 'too old' }), 'Expired', 'too old'],
    [422, status({ message: 'wrong' }), 'Invalid', 'wrong'],
    [503, '<html>\n  <b>no upstream</b>\n</html>', 'ServiceUnavailable', '<html> <b>no upstream</b> </html>'],
    [502, '', 'Unknown', 'HTTP 502'],
    [
      302,
      '',
      'Unknown',
      'HTTP 302: an API server never redirects, but a login proxy in front of it may: set the address of the API server itself in the kubeconfig',
    ],
    [401, 'Unauthorized\n', 'Unauthorized', 'Unauthorized'],
  ])('%i with %j has the reason %s', (code, body, reason, said) => {
    const error = refusal('east', 'get Secret a/b', code, body);
    expect(error).toMatchObject({ cluster: 'east', status: code, reason, said, answered: true });
    expect(error.message).toBe(`cluster "east": get Secret a/b: ${said}`);
  });

  it('says what is known to be wrong with the credentials, apart from the words of the server', () => {
    const error = refusal('east', 'get Secret a/b', 401, 'Unauthorized', 'the client certificate expired');
    expect(error.said).toBe('Unauthorized');
    expect(error.message).toBe('cluster "east": get Secret a/b: Unauthorized (the client certificate expired)');
  });

  it('names its causes, with their fields', () => {
    const causes = [
      { field: 'spec.a', message: 'is required' },
      { reason: 'NamespaceTerminating' },
      { field: '', message: 'x' },
    ];
    const body = status({ reason: 'Invalid', message: 'wrong', details: { causes } });
    expect(refusal('east', 'create', 422, body).causes).toEqual(['spec.a: is required', 'NamespaceTerminating', 'x']);
  });

  it('of any length is cut: it goes into conditions and logs', () => {
    expect(refusal('east', 'create', 500, 'x'.repeat(100_000)).message.length).toBeLessThan(5_000);
  });
});

describe('a request without an answer', () => {
  it.each<[failure: TransportFailure, reason: string, answered: boolean, advice: RegExp]>([
    ['unreachable', 'Unreachable', false, /check that the API server runs/],
    ['not-processed', 'Unreachable', false, /the request is retried$/],
    ['lost', 'Unreachable', false, /nothing was changed; the read is retried$/],
    ['timeout', 'Timeout', false, /check the load of the API server/],
    ['too-large', 'ResponseTooLarge', true, /raise the limit of answers$/],
    ['credentials', 'Unreachable', false, /check the cluster and the user of its context in the kubeconfig$/],
    ['closed', 'Unreachable', false, /Flotilla is shutting down/],
  ])('that is %s has the reason %s and says what to do', (failure, reason, answered, advice) => {
    const server = new URL('https://api.test:6443/clusters/east');
    const error = outage('east', server, 'list Secret', new TransportError(failure, 'why'));
    expect(error).toMatchObject({ status: 0, reason, answered, retry: 'backoff' });
    expect(error.message).toMatch(/^cluster "east" at https:\/\/api\.test:6443\/clusters\/east: list Secret: why; /);
    expect(error.message).toMatch(advice);
    expect(KubeApiError.is(error, reason)).toBe(true);
  });

  it.each([
    ['create ConfigMap a/b', 'the connection was lost', /may or may not have been carried out/],
    [
      'get ConfigMap a/b',
      'the answer is not JSON',
      /the answer is not from a Kubernetes API server.*; nothing was changed/,
    ],
    ['read the version of the API server', 'the answer is not JSON', /; nothing was changed; the read is retried$/],
    [
      'update ConfigMap a/b',
      'the answer is not JSON',
      /the answer is not from a Kubernetes API server.* may or may not have been/,
    ],
  ])('%s, %s: says whether something may have been written', (what, why, advice) => {
    const error = outage('east', new URL('https://api.test'), what, new TransportError('lost', why));
    expect(error.message).toMatch(advice);
  });
});
