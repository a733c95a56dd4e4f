import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { selects } from '#platform/kube/cache/selects';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { CACHED_KINDS } from '../../engine/caches/cached-kinds.js';
import type { ClusterReads } from '../../engine/passes/pass-reader.js';
import { ClassicCluster, GLOBAL, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { reconcileNamespace } from '../namespaces/reconcile-namespace.js';
import { copiesStage } from './copies.stage.js';
import { csvStage } from './csv.stage.js';
import { lampCsv, phases } from './csvs.fixture.js';

const CSV = 'ClusterServiceVersion';
const NAMESPACES = 15;
/** What a write takes. */
const WRITE_MS = 10;

let at: ClassicCluster;
let others: number;
beforeEach(async () => {
  at = await ClassicCluster.start();
  for (let n = 0; n < NAMESPACES; n += 1) at.put(objectOf('Namespace', `team-${n}`));
  at.namespace('home', {});
  others = at.names('Namespace').length - 1;
});
afterEach(() => at.stop());

/** Writes take a while, in which the cluster's own controllers work on. */
function slowly(client: KubeClient): KubeClient {
  const writes = new Set<PropertyKey>(['create', 'update', 'updateStatus', 'delete', 'patch']);
  return new Proxy(client, {
    get(of, name) {
      const method: unknown = Reflect.get(of, name, of);
      if (typeof method !== 'function') return method;
      return async (...parameters: unknown[]) => {
        if (writes.has(name)) await Promise.all([settled(), at.clock.advance(WRITE_MS)]);
        return method.apply(of, parameters);
      };
    },
  });
}

/** A cache whose watches are as quick as the cluster. */
function cachedReads(): ClusterReads {
  const { client, cluster } = at;
  const kindOf = ({ apiVersion, kind }: KindRef) =>
    CACHED_KINDS.find((one) => one.kind === kind && one.apiVersion === apiVersion && one.labelSelector === undefined);
  const kept = (of: KindRef, object: KubernetesObject) => kindOf(of)?.reduce?.(object) ?? object;
  return {
    get: (ref) => client.get(ref),
    list: (kind, options) => client.list(kind, options),
    serverVersion: () => client.serverVersion(),
    cache: {
      get: (ref: ObjectRef) => {
        if (kindOf(ref) === undefined) return undefined;
        const found = cluster.get(ref);
        return { found: found && kept(ref, found) };
      },
      list: (kind, options) => {
        const selected = selects(options);
        if (kindOf(kind) === undefined || selected === undefined) return undefined;
        return cluster
          .list(kind)
          .filter(selected)
          .map((one) => kept(kind, one));
      },
      noteWritten: () => undefined,
      noteDeleted: () => undefined,
    },
  };
}

/** Passes until one writes nothing; counts the requests about copies, and those for lists of CSVs. */
async function settle() {
  at.asked();
  const stages = [csvStage(silentLog), copiesStage({ protectedNamespaces: [], atOnce: 5 })];
  for (let rounds = 2; rounds > 1; await settled()) {
    const place = {
      client: slowly(at.client),
      reads: cachedReads(),
      namespace: 'home',
      globalCatalogNamespace: GLOBAL,
    };
    const outcome = await reconcileNamespace(place, stages, at.clock, new AbortController().signal);
    rounds = outcome.rounds;
  }
  const asked = at.asked().filter(({ resource }) => resource === 'clusterserviceversions');
  const count = (verb: string) => asked.filter((one) => one.verb === verb && one.namespace !== 'home').length;
  return { created: count('create'), updated: count('update'), deleted: count('delete'), listed: count('list') };
}

/** What copies of one version have in common. */
const copies = () =>
  new Set(
    at.names(CSV).flatMap((place) => {
      const [namespace = '', name = ''] = place.split('/');
      const { phase, reason } = at.csv(namespace, name)?.status ?? {};
      return namespace === 'home' ? [] : [`${name} ${phase} ${reason}`];
    }),
  );
const total = ({ created, updated, deleted }: Awaited<ReturnType<typeof settle>>) => created + updated + deleted;

describe('an operator for all namespaces of a cluster with many', () => {
  it('is upgraded with no more requests than an install and a removal take, and no list of all CSVs', async () => {
    at.put(lampCsv('home'));
    const install = await settle();
    expect(copies()).toEqual(new Set(['lamp.v1 Succeeded Copied']));

    at.put(lampCsv('home', 'lamp.v2', { spec: { replaces: 'lamp.v1', version: '2.0.0' } }));
    const upgrade = await settle();
    expect(copies()).toEqual(new Set(['lamp.v2 Succeeded Copied']));

    at.cluster.delete(refTo(CSV, 'lamp.v2', 'home'));
    const removal = await settle();
    expect([copies(), phases(at, 'home')]).toEqual([new Set(), []]);

    expect(total(upgrade)).toBeLessThanOrEqual(total(install) + total(removal));
    expect(upgrade).toMatchObject({ created: others, deleted: others, listed: 0 });
    expect(removal).toEqual({ created: 0, updated: 0, deleted: others, listed: 0 });
  });

  it('loses its copies, where its group watches its own namespace alone, with lists that are read once', async () => {
    at.put(lampCsv('home'));
    await settle();
    at.cluster.edit(
      refTo('OperatorGroup', 'home-group', 'home'),
      (live) => {
        Object.assign(live['status'] as object, { namespaces: ['home'] });
      },
      'status',
    );
    const { deleted, listed } = await settle();
    expect(copies()).toEqual(new Set());
    expect(deleted).toBe(others);
    // By label and by name, before the deletions and after them.
    expect(listed).toBeLessThanOrEqual(4);
  });
});
