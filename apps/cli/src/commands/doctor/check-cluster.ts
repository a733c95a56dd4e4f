import { clockCheck, type DoctorCheck, failed, ok, warning } from '#core/cluster/doctor/machine-checks';
import { signText } from '#core/cluster/joining/olm-signs';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { asRecord, asText } from '#core/kernel/crd/loose-value';
import { counted } from '#core/kernel/text/counted';
import type { Settings } from '#platform/config/settings';
import { type KindRef, KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { isLoopback } from '#platform/registry/http/registry-auth';
import { lineOf } from '../../clusters/ask-clusters.js';
import { findCluster, isEndless } from '../../clusters/find-clusters.js';
import { NEXT } from '../../output/next-commands.js';
import { missingOfRoles } from '../clusters/check-clusters.js';

/** Findings about one cluster, and the images and servers (`HOST:PORT`) of its catalogs. */
type ExaminedCluster = Readonly<{
  checks: readonly DoctorCheck[];
  images: readonly string[];
  servers: readonly string[];
}>;

/** Asks a cluster; writes nothing. */
export async function examineCluster(client: KubeClient, settings: Settings, access: string): Promise<ExaminedCluster> {
  const name = `cluster ${client.cluster}`;
  try {
    const { version, management, olmKinds } = await findCluster(client, settings);
    const { missing } = await missingOfRoles(client);
    const lacking = missing.observe.length + missing.apply.length;
    const checks: DoctorCheck[] = [
      ok(name, `answers, Kubernetes ${version}${olmKinds ? ', OLM’s kinds are there' : ''}`),
    ];
    const { server } = client;
    if (server !== undefined && isLoopback(server.hostname)) checks.push(loopbackCheck(name, server));
    if (isEndless(client)) checks.push(warning(name, ENDLESS, BOUNDED));
    const serverTime = await client.serverTime();
    if (serverTime !== undefined) checks.push(clockCheck(client.cluster, Date.now() - serverTime.getTime()));
    if (management.signs.length > 0) {
      const signs = management.signs.map(signText).join(', ');
      const todo = `hand the cluster over to the hub, or leave it to OLM. To see its operators: ${NEXT.assess(access)}`;
      checks.push(warning(name, `OLM runs there (${signs}), so a hub does not manage the cluster`, todo));
    }
    if (lacking > 0) {
      const lacks = `this login is missing ${counted(lacking, 'right')} that the hub needs`;
      const todo = `list them, and how to grant them: ${NEXT.checkClusters()} ${access}`;
      // A login that may not read the signs of OLM must not write anything there.
      const isKeptOut = !management.acts && management.signs.length === 0;
      checks.push(
        isKeptOut ? failed(name, `${lacks}, so a hub would not manage the cluster`, todo) : warning(name, lacks, todo),
      );
    }
    return { checks, ...(await contentsOf(client)) };
  } catch (error) {
    if (KubeApiError.is(error, 'Forbidden')) {
      const todo = `list its missing rights: ${NEXT.checkClusters()} ${access}`;
      return { checks: [failed(name, `refuses this login: ${lineOf(error)}`, todo)], images: [], servers: [] };
    }
    const todo = 'check that its API server can be reached from here, and that the login of its kubeconfig is valid';
    return { checks: [failed(name, `does not answer: ${lineOf(error)}`, todo)], images: [], servers: [] };
  }
}

const ENDLESS = 'its login is a token without end: a copy of it gives access until the token is deleted';
const BOUNDED = 'use a token that ends, so that the hub renews it: docs/access.md, "Logins that end"';

function loopbackCheck(name: string, server: URL): DoctorCheck {
  const text = `its API server is at ${server.host}, an address that works only on this machine`;
  return warning(
    name,
    text,
    'run the hub on this machine. A hub in a container, a Pod or another machine needs a kubeconfig with an address that it can reach',
  );
}

/** Reads the sources of a cluster's catalogs. Returns nothing if the login may not read them. */
async function contentsOf(client: KubeClient): Promise<Pick<ExaminedCluster, 'images' | 'servers'>> {
  const list = async (kind: KindRef) => {
    try {
      return (await client.list(kind))?.items ?? [];
    } catch (error) {
      if (KubeApiError.is(error, 'Forbidden')) return [];
      throw error;
    }
  };
  const [sources, catalogs] = await Promise.all([list(CATALOG_SOURCE_API), list(CLUSTER_CATALOG_API)]);
  const ofSources = (sources as readonly CatalogSource[]).map(({ spec }) => spec?.image ?? '');
  const ofCatalogs = catalogs.map(({ spec }) => asText(asRecord(asRecord(asRecord(spec)['source'])['image'])['ref']));
  const servers = (sources as readonly CatalogSource[]).flatMap(({ spec }) =>
    spec?.image ? [] : (spec?.address ?? []),
  );
  return { images: distinct([...ofSources, ...ofCatalogs]), servers: distinct(servers) };
}

const distinct = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].filter((text) => text !== '').sort(byCodeUnit);
