import type { OperatorRow } from '../rows/rows.js';

const LINKS = ['desired', 'catalog', 'resolution', 'plan', 'approval', 'running'] as const;

/** One link of the chain from the desired state to the running operator. */
type OperatorLink = Readonly<{
  link: (typeof LINKS)[number];
  /** The state of the link: `done`, the one that stops the chain, or not reached yet. */
  state: 'done' | 'stopped' | 'not-reached';
  standing: OperatorRow['standing'];
  text: string;
  since: string;
}>;

/** The link that a cause stops, by its code. Causes of other codes stop the resolution. */
const STOPS: Readonly<Record<string, OperatorLink['link']>> = {
  ...{ 'object-unreadable': 'desired', 'spec-blocked': 'desired', 'extension-config-invalid': 'desired' },
  ...{ 'catalog-missing': 'catalog', 'catalog-excluded': 'catalog', 'catalog-not-ready': 'catalog' },
  ...{ 'catalog-spec-invalid': 'catalog', 'catalog-first-fetch': 'catalog', 'catalog-not-renewed': 'catalog' },
  ...{ 'bundle-not-fetched': 'plan', 'bundle-not-admitted': 'plan', 'bundle-unusable': 'plan' },
  ...{ planning: 'plan', 'plan-approved': 'plan', 'plan-installing': 'plan', 'plan-refused': 'plan' },
  ...{ 'plan-failed': 'plan', 'objects-refused': 'plan' },
  ...{ 'approval-needed': 'approval', 'fleet-decides': 'approval' },
  ...{ 'copy-in-the-way': 'running', 'operator-missing': 'running', 'objects-in-the-way': 'running' },
  'rollout-too-slow': 'running',
};

/**
 * Returns the first link that stops an operator, by the object that has its cause and by the cause. Returns
 * undefined if there is none.
 */
function stopOf({ standing, cause, planHash }: OperatorRow): OperatorLink['link'] | undefined {
  if (standing === 'well') return undefined;
  if (standing === 'needs-approval' || (cause === undefined && planHash !== '')) return 'approval';
  const { kind = '', code = '' } = cause ?? {};
  if (/Catalog/.test(kind)) return 'catalog';
  if (/ClusterServiceVersion|Revision|ClusterObjectSet/.test(kind)) return 'running';
  return STOPS[code] ?? (/InstallPlan/.test(kind) ? 'plan' : 'resolution');
}

/** Describes the running version. A version that was to be replaced may run although the chain stops. */
function runningText(row: OperatorRow): string {
  const { standing, stillRuns, installed, version } = row;
  if (standing === 'well') return version;
  if (stillRuns !== undefined) return `${stillRuns === installed ? version : stillRuns} still runs`;
  return installed === '' ? 'nothing is installed' : `${version || installed} has not succeeded`;
}

/** Returns the chain from an operator's desired state to the running version. */
export function operatorChain(row: OperatorRow): OperatorLink[] {
  const isWell = row.standing === 'well';
  const stop = LINKS.indexOf(stopOf(row) ?? 'running');
  const texts: Readonly<Record<OperatorLink['link'], string>> = {
    desired: [row.package, row.channel].filter((part) => part !== '').join(', '),
    catalog: row.catalog,
    resolution: row.next === '' ? row.newest : row.next,
    plan: row.plan === '' && LINKS[stop] === 'plan' ? row.next : row.plan,
    approval: row.fleet === undefined ? row.approval : `rollouts of ${row.fleet}`,
    running: runningText(row),
  };
  return LINKS.map((link, at) => {
    const isStop = at === stop && !isWell;
    const state = isStop ? 'stopped' : at < stop || isWell ? 'done' : 'not-reached';
    const text = state === 'not-reached' && link !== 'running' ? '' : texts[link];
    return { link, state, standing: isStop ? row.standing : 'well', text, since: isStop ? row.since : '' };
  });
}
