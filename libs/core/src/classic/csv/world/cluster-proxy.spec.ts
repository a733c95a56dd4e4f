import { describe, expect, it } from 'vitest';
import type { SubscriptionConfig } from '../../../catalog/bundle/subscription-config.js';
import { wantedDeployments } from '../deployments/install-deployments.js';
import { withClusterProxy } from './cluster-proxy.js';
import { gear, world } from './csv-world.fixture.js';

const proxy = (status: Record<string, string>) => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'Proxy',
  metadata: { name: 'cluster' },
  status,
});
const HTTP = { name: 'HTTP_PROXY', value: 'http://proxy.example:3128' };
const NO = { name: 'NO_PROXY', value: '.cluster.local' };
const some = proxy({ httpProxy: HTTP.value, httpsProxy: '', noProxy: NO.value });
const mine = { name: 'MINE', value: '1' };

describe('the proxy of an OpenShift cluster', () => {
  it.each<{ because: string; config: SubscriptionConfig; from: ReturnType<typeof proxy> | undefined; env: unknown }>([
    { because: 'no OpenShift, or no proxy object', config: {}, from: undefined, env: undefined },
    { because: 'what is set reaches the operator, what is empty does not', config: {}, from: some, env: [HTTP, NO] },
    { because: 'after the Subscription’s own', config: { env: [mine] }, from: some, env: [mine, HTTP, NO] },
    { because: 'one of the three in the config turns all off', config: { env: [NO] }, from: some, env: [NO] },
    { because: 'a proxy that says nothing', config: { env: [mine] }, from: proxy({}), env: [mine] },
  ])('$because', ({ config, from, env }) => {
    expect(withClusterProxy(config, from).env).toEqual(env);
  });

  it('changes the Deployment and the hash it is recognised by', () => {
    const csv = gear('gear.v1');
    const plain = world();
    const [before] = wantedDeployments(csv, plain);
    const [after] = wantedDeployments(csv, { ...plain, clusterProxy: some });
    expect(JSON.stringify(after?.object)).toContain(HTTP.value);
    expect(after?.hash).not.toBe(before?.hash);
  });
});
