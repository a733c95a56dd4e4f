import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { SystemClock } from '../clock/system-clock.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { silentLog } from '../telemetry/log.port.js';
import { ACCEPTED_UID_ANNOTATION, SecretClusters } from './secret-clusters.js';

const NAMESPACE = 'flotilla-system';
const TYPE = 'fleet.flotilla.dev/kubeconfig';
const login = (token: string, more: object = {}, cluster: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://store-01.example', ...cluster } }],
  users: [{ name: 'u', user: { token, ...more } }],
  contexts: [{ name: 'admin@c', context: { cluster: 'c', user: 'u' } }],
});
/** A token that ends at that second. */
const endingAt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;

describe('the clusters whose kubeconfig is in a Secret of the hub', () => {
  let hub: ReturnType<typeof directCluster>;
  let clusters: SecretClusters;
  beforeEach(async () => {
    hub = directCluster('hub');
    hub.cluster.create(fleetCrd('FleetCluster'));
    const served = () => hub.client.serves({ apiVersion: FLEET_API, kind: 'FleetCluster' });
    await expect.poll(served, PATIENCE).toBe(true);
    await hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    clusters = open(false);
  });
  afterEach(async () => {
    await clusters.stop();
    await hub.stop();
  });

  function open(observes: boolean): SecretClusters {
    const options = { hub: hub.client, namespace: NAMESPACE, clock: new SystemClock(), log: silentLog, observes };
    const opened = new SecretClusters(options);
    opened.start();
    return opened;
  }
  const join = (spec: object, name = 'store-01') =>
    hub.client.create({ apiVersion: FLEET_API, kind: 'FleetCluster', metadata: { name }, spec } as KubernetesObject);
  const byRef = (name = 'login') => ({ access: { secretRef: { name } } });
  const secretOf = (kubeconfig: unknown, name = 'login', type = TYPE) =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      type,
      metadata: { name, namespace: NAMESPACE },
      data: { kubeconfig: Buffer.from(JSON.stringify(kubeconfig)).toString('base64') },
    }) as KubernetesObject;
  const put = (...args: Parameters<typeof secretOf>) => hub.client.create(secretOf(...args));
  const rotate = async (kubeconfig: unknown) =>
    hub.client.patch(
      { apiVersion: 'v1', kind: 'Secret', name: 'login', namespace: NAMESPACE },
      { data: (secretOf(kubeconfig) as unknown as { data: Record<string, string> }).data },
    );
  const none = { members: [], problems: [] };
  const fault = () => {
    found();
    return clusters.faultOf('store-01')?.reason;
  };
  const found = () => clusters.beside(none).members.map(({ cluster, access }) => [cluster, access.user.token]);

  it('have its access, under the name of the FleetCluster and with what that says', async () => {
    await put(login('first'));
    await join({ ...byRef(), uid: 'u-1', globalCatalogNamespace: 'market', paused: true });
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'first']]);
    const [member] = clusters.beside(none).members;
    expect(member?.access).toMatchObject({
      ...{ identity: 'u-1', globalCatalogNamespace: 'market', paused: true, context: 'store-01' },
      ...{ file: 'Secret flotilla-system/login', isInKubeconfig: false },
    });
    expect(clusters.beside(none), 'nothing has changed').toBe(clusters.beside(none));
  });

  it('get another login as soon as the Secret has one, and leave with the FleetCluster', async () => {
    await put(login('first'));
    await join(byRef());
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'first']]);
    await rotate(login(endingAt(1_800_000_000)));
    await expect.poll(found, PATIENCE).toEqual([['store-01', endingAt(1_800_000_000)]]);
    expect(clusters.lifeOf('store-01')).toEqual({ expiresAt: '2027-01-15T08:00:00.000Z' });
    await hub.client.delete({ apiVersion: FLEET_API, kind: 'FleetCluster', name: 'store-01' });
    await expect.poll(found, PATIENCE).toEqual([]);
  });

  it('are unmarked until their FleetCluster has the finalizer by which it waits for their release', async () => {
    const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'store-01' };
    await put(login('first'));
    await join(byRef());
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'first']]);
    expect(clusters.unmarked('store-01')).toBe(hub.cluster.get(FLEET_CLUSTER)?.metadata.uid);
    await hub.client.patch(FLEET_CLUSTER, { metadata: { finalizers: ['fleet.flotilla.dev/release'] } });
    await expect.poll(() => found() && clusters.unmarked('store-01'), PATIENCE).toBeUndefined();
  });

  it('keep the login that they have while the new one cannot be used', async () => {
    await put(login('first'));
    await join(byRef());
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'first']]);
    await rotate(login('second', { exec: { command: 'sh' } }));
    await expect.poll(fault, PATIENCE).toBe('Unsafe');
    expect(found()).toEqual([['store-01', 'first']]);
  });

  it.each([
    ['a program', login('t', { exec: { command: 'sh', args: ['-c', 'id'] } })],
    ['a program of a provider', login('t', { 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'sh' } } })],
    ['a file with a token', login('t', { tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' })],
    ['a file with a key', login('t', { 'client-key': '/etc/shadow' })],
    ['a file with authorities', login('t', {}, { 'certificate-authority': '/etc/shadow' })],
    ['any server', login('t', {}, { 'insecure-skip-tls-verify': true })],
    ['a server without TLS', login('t', {}, { server: 'http://store-01.example' })],
    ['an address of the cloud', login('t', {}, { server: 'https://169.254.169.254' })],
  ])('are not used where the login names %s', async (_what, kubeconfig) => {
    await put(kubeconfig);
    await join(byRef());
    await expect.poll(fault, PATIENCE).toBe('Unsafe');
    expect(found()).toEqual([]);
  });

  it.each([
    ['there is no Secret', async () => undefined, /there is no Secret flotilla-system\/login of type/],
    [
      'it has another type',
      () => put(login('t'), 'login', 'Opaque'),
      /there is no Secret flotilla-system\/login of type/,
    ],
    ['it has two contexts', () => put({ ...login('t'), contexts: twice(login('t').contexts) }), /has 2 contexts/],
    ['it is not a kubeconfig', () => put('hush: [hush'), /is not a kubeconfig/],
  ])('say why where %s, without a word of it', async (_what, prepare, message) => {
    await prepare();
    await join(byRef());
    await expect.poll(fault, PATIENCE).toBe('Rejected');
    expect(clusters.faultOf('store-01')?.message).toMatch(message);
    expect(clusters.faultOf('store-01')?.message).not.toContain('hush');
  });
  const twice = <T>(items: readonly T[]) => [...items, ...items];

  it('cannot take the name of a context', async () => {
    await put(login('first'));
    await join(byRef());
    const access = { context: 'store-01', file: 'config', cluster: { server: 'https://a' }, user: {} } as ClusterAccess;
    const files = { members: [{ cluster: 'store-01', file: 'config', context: 'store-01', access }], problems: [] };
    const members = () => clusters.beside(files).members.map(({ file }) => file);
    const reason = () => (members().length > 0 ? clusters.faultOf('store-01')?.reason : undefined);
    await expect.poll(reason, PATIENCE).toBe('Rejected');
    expect(members()).toEqual(['config']);
  });

  it('are observed with the weaker login where there is one', async () => {
    await put(login('strong'));
    await put(login('weak'), 'weak');
    await join({ access: { secretRef: { name: 'login' }, observeSecretRef: { name: 'weak' } } });
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'strong']]);
    await clusters.stop();
    clusters = open(true);
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'weak']]);
  });

  it('need no right on Secrets while no FleetCluster refers to one', async () => {
    await join({ access: { context: 'store-01' } });
    const asked = (resource: string) => [...hub.cluster.requests].filter(({ path }) => path.includes(resource)).length;
    await expect.poll(() => asked('watch=true') + asked('fleetclusters'), PATIENCE).toBeGreaterThan(1);
    found();
    expect(asked('/secrets')).toBe(0);
  });

  it('have the labels of their FleetCluster as they are now, also if its login is a context', async () => {
    const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'store-01' };
    await join({ access: { context: 'store-01' } });
    await hub.client.patch(ref, { metadata: { labels: { tier: 'prod', region: 'eu' } } });
    await expect.poll(() => clusters.labelsOf('store-01'), PATIENCE).toEqual({ region: 'eu', tier: 'prod' });
    const before = clusters.labelsOf('store-01');
    await hub.client.patch(ref, { metadata: { annotations: { note: 'of no matter' } } });
    await hub.client.patch(ref, { metadata: { labels: { tier: 'lab' } } });
    await expect.poll(() => clusters.labelsOf('store-01'), PATIENCE).toEqual({ region: 'eu', tier: 'lab' });
    expect(clusters.labelsOf('store-01')).not.toBe(before);
    expect(clusters.labelsOf('store-02')).toEqual({});
    await hub.client.delete(ref);
    await expect.poll(() => clusters.labelsOf('store-01'), PATIENCE).toEqual({});
  });

  it('have no more than 64 labels', async () => {
    const labels = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`label-${at + 100}`, 'x']));
    await join({ access: { context: 'store-01' } });
    await hub.client.patch({ apiVersion: FLEET_API, kind: 'FleetCluster', name: 'store-01' }, { metadata: { labels } });
    await expect.poll(() => Object.keys(clusters.labelsOf('store-01')).length, PATIENCE).toBe(64);
    expect(clusters.labelsOf('store-01')).toHaveProperty('label-163');
  });

  it('have the UID that people accepted in place of the one before', async () => {
    await put(login('first'));
    await join({ ...byRef(), uid: 'u-1' });
    await expect.poll(found, PATIENCE).toEqual([['store-01', 'first']]);
    await hub.client.patch(
      { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'store-01' },
      { metadata: { annotations: { [ACCEPTED_UID_ANNOTATION]: 'u-2' } } },
    );
    const identity = () => clusters.beside(none).members[0]?.access.identity;
    await expect.poll(identity, PATIENCE).toBe('u-2');
  });

  describe('of another tool', () => {
    const encode = (data: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        Object.entries(data).map(([key, value]) => [
          key,
          Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64'),
        ]),
      );
    const argo = (config: object) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
      metadata: { name: 'east', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      data: encode({ name: 'east', server: 'https://east.example', config }),
    });
    const ofTool = (name: string, value: unknown) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret' },
      metadata: { name, namespace: 'argocd', labels: { 'cluster.x-k8s.io/cluster-name': 'east' } },
      data: encode({ value, token: 'hush' }),
    });
    const apply = (secret: object) => hub.client.apply(secret as KubernetesObject);
    const by = (format: string, name: string) => ({ access: { secretRef: { name, namespace: 'argocd', format } } });
    beforeEach(async () => {
      await hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
    });

    it('is read where it is, follows its changes, and is not ours to renew', async () => {
      await apply(argo({ bearerToken: 'first' }));
      await join(by('ArgoCD', 'east'));
      await expect.poll(found, PATIENCE).toEqual([['store-01', 'first']]);
      expect(clusters.beside(none).members[0]?.access).toMatchObject({
        ...{ isRenewedByOthers: true, file: 'Secret argocd/east', isInKubeconfig: false },
      });
      await apply(argo({ bearerToken: 'second' }));
      await expect.poll(found, PATIENCE).toEqual([['store-01', 'second']]);
      await hub.client.delete({ apiVersion: 'v1', kind: 'Secret', name: 'east', namespace: 'argocd' });
      await expect.poll(fault, PATIENCE).toBe('Rejected');
      expect(clusters.faultOf('store-01')?.message).toBe(
        'there is no Secret argocd/east with label argocd.argoproj.io/secret-type: cluster',
      );
      expect(found(), 'the login is used while it works').toEqual([['store-01', 'second']]);
    });

    it.each(['ClusterAPI', 'Rancher'])('is the kubeconfig of its current context in %s', async (format) => {
      const one = login('capi');
      const two = { ...one, contexts: [...one.contexts, { name: 'b', context: { cluster: 'c', user: 'none' } }] };
      await apply(ofTool('east-kubeconfig', { ...two, 'current-context': 'admin@c' }));
      await join(by(format, 'east-kubeconfig'));
      await expect.poll(found, PATIENCE).toEqual([['store-01', 'capi']]);
    });

    it.each([
      [
        argo({ execProviderConfig: { command: 'sh' } }),
        by('ArgoCD', 'east'),
        'Rejected',
        /execProviderConfig would run/,
      ],
      [
        argo({ bearerToken: 't', tlsClientConfig: { insecure: true } }),
        by('ArgoCD', 'east'),
        'Unsafe',
        /insecure-skip/,
      ],
      [ofTool('east-ca', 'hush'), by('ClusterAPI', 'east-ca'), 'Rejected', /key "value" is missing/],
      [
        ofTool('east-kubeconfig', login('t', { exec: { command: 'aws' } })),
        ...([by('ClusterAPI', 'east-kubeconfig'), 'Unsafe', /its user has exec/] as const),
      ],
    ])('is not used where it is unsafe or none (%#)', async (secret, spec, reason, message) => {
      await apply(secret);
      await join(spec);
      await expect.poll(fault, PATIENCE).toBe(reason);
      expect(clusters.faultOf('store-01')?.message).toMatch(message);
      expect(clusters.faultOf('store-01')?.message).not.toContain('hush');
    });

    it('may lie in another namespace in the form of our own, and a namespace without rights spoils no other', async () => {
      const own = { ...secretOf(login('own')), metadata: { name: 'login', namespace: 'argocd' } };
      await apply(own);
      await put(login('here'), 'other');
      hub.cluster.failAll({ resource: 'secrets', namespace: 'argocd' }, new Refusal(403, 'Forbidden', 'forbidden'));
      await join({ access: { secretRef: { name: 'login', namespace: 'argocd' } } });
      await join(byRef('other'), 'store-02');
      await expect.poll(found, PATIENCE).toEqual([['store-02', 'here']]);
      await expect
        .poll(() => clusters.faultOf('store-01')?.message ?? (found() && ''), PATIENCE)
        .toMatch(/cannot be read/);
    });
  });
});
