import { describe, expect, it } from 'vitest';
import { SUBSCRIPTION_API } from '../../kernel/api/subscription.js';
import { clusterFindings } from './cluster-findings.js';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { diagnoseConditions } from './diagnose-conditions.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { diagnoseSubscription } from './diagnose-subscription.js';
import { group, plan, source, state } from './diagnosis.fixture.js';
import { pullAdvice } from './pull-trouble.js';

const REFUSED =
  'image localhost:5000/c:1: address of localhost:5000 is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES)';
const UNLISTED = 'image r.example/c:1: host r.example is not allowed by the hub (FLOTILLA_REGISTRY_HOSTS)';
const AWAY =
  'image r.example/c:1: cannot reach registry r.example (no such host): check the host name, the network and the proxy';
const BUSY =
  'image r.example/c:1: registry r.example answered 503: the registry has a fault of its own: tried several times, try later';
const GONE =
  'image r.example/c:1: registry r.example answered 404 MANIFEST_UNKNOWN: repository "c" has no such image: check name and tag';
const UNSIGNED = `image r.example/c:1: signature policy r.example/c refuses sha256:${'a'.repeat(64)}: no signature; an accepted key must sign it, or change the policy`;
const POLICY = `image r.example/c:1: signature policy * refuses sha256:${'a'.repeat(64)}: it cannot be read (rules[1]): the hub's administrator must correct FLOTILLA_SIGNATURE_POLICY_FILE`;
const ENDED =
  'image r.example/c:1: unpacking its layers needs more than 128 MiB of memory; this digest is not read again: push another image; for the image of a catalog, use "flotilla retry"';
const since = (text: string) => `${text}; since 2026-01-01T00:00:00Z, next check 2026-01-01T00:05:00Z`;

describe('content that could not be fetched', () => {
  it.each<[message: string, advice: RegExp | undefined]>([
    [
      REFUSED,
      /^The image reference is correct, .*address of localhost:5000\..*FLOTILLA_OUTBOUND_ADDRESSES=public,private,loopback$/,
    ],
    [UNLISTED, /^The image reference is correct, .* requests to r\.example\..* setting FLOTILLA_REGISTRY_HOSTS /],
    [
      'catalog at c:50051: host c:50051 is not allowed by the hub (FLOTILLA_GRPC_HOSTS)',
      /setting FLOTILLA_GRPC_HOSTS /,
    ],
    ['catalog at c:50051: address of c:50051 is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES)', /loopback$/],
    [AWAY, /registry r\.example: /],
    [BUSY, /registry r\.example: /],
    [BUSY.replace('503', '429'), /registry r\.example: /],
    [
      'image r.example/c:1: not done after 600000 ms: check the network, or raise the time limit',
      /registry that it names/,
    ],
    [
      'failed to list bundles: catalog at c:50051 (UNAVAILABLE: no connection); check',
      /registry server answers the hub at c:50051/,
    ],
    [GONE, undefined],
    [`${AWAY.replace('image r.example/c:1', 'image r.example/c:1 (at mirror m.example/c:1)')}; ${GONE}`, undefined],
    [
      `${GONE.replace('image r.example/c:1', 'image r.example/c:1 (at mirror m.example/c:1)')}; ${AWAY}`,
      /registry r\.example: /,
    ],
    [UNSIGNED, /^Ask the publisher to sign this digest; .* its signer to rule r\.example\/c of /],
    [POLICY, /^The image reference is correct\. Correct the file of setting FLOTILLA_SIGNATURE_POLICY_FILE /],
    ['image r.example/c:1 is not a catalog image: it has no label', undefined],
    ['catalog samples is invalid: a.yaml: no package', undefined],
    ['', undefined],
  ])('%s', (message, advice) => {
    const said = pullAdvice(since(message));
    if (advice === undefined) expect(said).toBeUndefined();
    else expect(said).toEqual([expect.stringMatching(advice)]);
  });

  const conditioned = (kind: string, reason: string, message: string) => ({
    ...{ apiVersion: 'olm.operatorframework.io/v1', kind, metadata: { name: 'c' } },
    status: {
      conditions: [
        { type: kind === 'ClusterCatalog' ? 'Serving' : 'Installed', status: 'False', reason: 'x', message: '' },
        { type: 'Progressing', status: 'True', reason, message },
      ],
    },
  });
  const subscription = (message: string) => ({
    ...SUBSCRIPTION_API,
    metadata: { name: 'mill', namespace: 'team' },
    spec: { name: 'mill', source: 'c', sourceNamespace: 'olm' },
    status: { conditions: [{ type: 'BundleUnpackFailed', status: 'True', reason: 'BundleUnpackFailed', message }] },
  });
  const fine = { operatorGroups: [group()], installPlans: [], csvs: [], catalogSources: [source(state('READY'))] };
  /** Every object that may say it. */
  const told: Readonly<Record<string, (message: string) => readonly string[]>> = {
    CatalogSource: (message) => diagnoseCatalogSource(source({ ...state('TRANSIENT_FAILURE'), message })).todo,
    'CatalogSource with old content': (message) =>
      diagnoseCatalogSource(source({ ...state('READY'), message, reason: 'RegistryServerError' })).todo,
    ClusterCatalog: (message) => diagnoseConditions(conditioned('ClusterCatalog', 'Retrying', message)).todo,
    'ClusterCatalog that is not tried again': (message) =>
      diagnoseConditions(conditioned('ClusterCatalog', 'Blocked', message)).todo,
    ClusterExtension: (message) => diagnoseConditions(conditioned('ClusterExtension', 'Retrying', message)).todo,
    Subscription: (message) => diagnoseSubscription(subscription(message), fine).todo,
    InstallPlan: (message) => diagnoseInstallPlan(plan('Failed', { message }), []).todo,
    'InstallPlan that is tried again': (message) => diagnoseInstallPlan(plan('Installing', { message }), []).todo,
  };
  it.each(Object.keys(told))('is no fault of the image that a %s names', (kind) => {
    for (const message of [REFUSED, UNLISTED, AWAY, BUSY]) {
      const todo = told[kind]?.(since(message)) ?? [];
      expect(todo[0]).toMatch(/^The image reference is correct|^The image may be correct/);
      expect(todo.join('\n')).not.toMatch(/Correct (spec\.image|the image|the named)|Publish/);
    }
    expect(told[kind]?.(since(GONE))[0] ?? '').not.toMatch(/reference is correct|may be correct/);
  });

  it.each(Object.keys(told))('is refused by the signature policy: a %s says so', (kind) => {
    expect(told[kind]?.(since(UNSIGNED))[0]).toMatch(/^Ask the publisher to sign this digest/);
    expect(told[kind]?.(since(POLICY))[0]).toMatch(/^The image reference is correct\. Correct the file/);
  });

  it.each([
    ['CatalogSource', / flotilla retry catalogsource c -n olm$/],
    ['CatalogSource with old content', / flotilla retry catalogsource c -n olm$/],
    ['ClusterCatalog', / flotilla retry clustercatalog c$/],
    ['ClusterCatalog that is not tried again', / flotilla retry clustercatalog c$/],
  ])('ended its thread: how a %s has it read once more', (kind, command) => {
    expect(told[kind]?.(since(ENDED))[0]).toMatch(command);
  });

  it.each(['ClusterExtension', 'Subscription', 'InstallPlan'])('ended its thread: a %s asks for no retry', (kind) => {
    expect((told[kind]?.(since(ENDED)) ?? []).join(' ')).not.toMatch(/retry (catalogsource|clustercatalog)/);
  });

  it('names the policy, and not the publisher, for a bundle that a policy refuses', () => {
    const { code, because } = diagnoseSubscription(
      subscription(`Bundle unpacking failed - bundle mill.v1: ${UNSIGNED}`),
      fine,
    );
    expect(code).toBe('bundle-not-admitted');
    expect(because.join(' ')).toMatch(/signature policy r\.example\/c refuses sha256:a+: no signature/);
  });

  it('is no fault of the image of a catalog that blocks extensions', () => {
    const extension = conditioned('ClusterExtension', 'Retrying', 'from catalog "c": catalog "c" is not being served');
    const [first] = clusterFindings({
      ...{ globalCatalogNamespace: 'olm', catalogSources: [], subscriptions: [], installPlans: [], csvs: [] },
      ...{ operatorGroups: [], conditioned: [extension, conditioned('ClusterCatalog', 'Retrying', since(AWAY))] },
    });
    expect(first?.todo).toEqual([expect.stringMatching(/^The image may be correct/)]);
  });
});
