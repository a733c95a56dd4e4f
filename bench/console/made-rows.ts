import type { CatalogRow, ClusterRow, OperatorRow, ViewRow } from '#core/view/rows/rows';

const BEGUN = '2026-11-20T08:00:00Z';
/** Other rows of each cluster: its own, and those of two catalogs. */
const OTHER_ROWS = 3;
const PACKAGES = 60;
const TROUBLES = [
  {
    standing: 'failed',
    code: 'plan-failed',
    kind: 'InstallPlan',
    text: 'It failed. CRD lamps.example.com is refused by the API server: spec.versions: 2 versions have storage.',
  },
  {
    standing: 'blocked',
    code: 'catalog-not-ready',
    kind: 'CatalogSource',
    text: 'It is TRANSIENT_FAILURE, and blocks resolution in every namespace that sees it.',
  },
  {
    standing: 'needs-approval',
    code: 'approval-needed',
    kind: 'InstallPlan',
    text: 'It waits for approval; then it installs a newer version.',
  },
] as const;
/** Number of operators in a thousand that have each of the troubles. */
const TROUBLED = 8;

export const clusterName = (at: number): string => `ship-${String(at + 1).padStart(4, '0')}`;
export const packageName = (at: number): string => `operator-${String((at % PACKAGES) + 1).padStart(2, '0')}`;
export const rowsOfCluster = (operators: number): number => operators + OTHER_ROWS;

/** The row of an operator, as a poller writes it; `edition` counts its changes. */
export function madeOperator(clusterAt: number, at: number, edition = 0): OperatorRow {
  const [cluster, name] = [clusterName(clusterAt), packageName(at)];
  const place = (clusterAt * 7_919 + at * 104_729) % 1_000;
  const trouble = TROUBLES[Math.floor(place / TROUBLED)];
  const version = `1.${place % 5}.${edition}`;
  const { standing = 'well' as const, ...cause } = trouble ?? {};
  return {
    ...{ kind: 'operator', id: `subscription/${name}-${at}/${name}`, cluster, namespace: `${name}-${at}`, name },
    ...{ updatedAt: new Date(Date.parse(BEGUN) + edition * 1_000).toISOString(), api: 'classic', package: name },
    ...{ catalog: at % 2 === 0 ? 'olm/community' : 'olm/certified', channel: 'stable' },
    ...{
      installed: `${name}.v${version}`,
      version,
      next: '',
      newest: `${name}.v1.5.0`,
      approval: 'Automatic',
      standing,
    },
    ...('code' in cause && { cause: { ...cause, names: [name] } }),
    ...{ since: BEGUN, plan: '', planHash: '', deprecated: place % 40 === 0 },
  };
}

/** All rows of one cluster. */
export function madeCluster(clusterAt: number, operators: number): readonly ViewRow[] {
  const all = Array.from({ length: operators }, (_, at) => madeOperator(clusterAt, at));
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  for (const { standing } of all) counts[standing] += 1;
  const cluster = clusterName(clusterAt);
  const worst = all.find(({ standing }) => standing === 'failed') ?? all.find(({ standing }) => standing !== 'well');
  const own: ClusterRow = {
    ...{ kind: 'cluster', id: 'cluster', cluster, updatedAt: BEGUN, labels: { tier: 'prod' }, version: 'v1.34.4' },
    ...{ reach: 'fresh', since: BEGUN, lastSeen: BEGUN, standing: worst?.standing ?? 'well', counts },
    ...(worst?.cause && { cause: worst.cause }),
    ...{ catalogsWell: 2, catalogs: 2, paused: false, upgradeBlockers: [] },
  };
  const catalogs = ['community', 'certified'].map(
    (name, at): CatalogRow => ({
      ...{ kind: 'catalog', id: `source/olm/${name}`, cluster, namespace: 'olm', name, updatedAt: BEGUN },
      ...{ source: 'CatalogSource', image: `registry.example/${name}:latest`, state: 'READY', message: '' },
      ...{ digest: `sha256:${String(at).repeat(64)}`, packages: 300, polledAt: BEGUN, nextAt: BEGUN, standing: 'well' },
    }),
  );
  return [own, ...all, ...catalogs];
}
