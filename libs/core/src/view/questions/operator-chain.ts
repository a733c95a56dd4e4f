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

/**
 * Returns the first link that stops an operator, by the object that has its cause. Returns undefined if there
 * is none.
 */
function stopOf({ standing, cause, planHash }: OperatorRow): OperatorLink['link'] | undefined {
  if (standing === 'well') return undefined;
  if (standing === 'needs-approval' || planHash !== '') return 'approval';
  const kind = cause?.kind ?? '';
  if (/Catalog/.test(kind)) return 'catalog';
  if (/InstallPlan/.test(kind)) return 'plan';
  if (/ClusterServiceVersion|Revision|ClusterObjectSet/.test(kind)) return 'running';
  return 'resolution';
}

/** A version that was to be replaced is no link that was reached: it runs on. */
function runningText({ stillRuns, installed, version }: OperatorRow): string {
  if (stillRuns === undefined) return version;
  return `${stillRuns === installed ? version : stillRuns} still runs`;
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
    approval: row.fleet === undefined ? row.approval : `roll-outs of ${row.fleet}`,
    running: runningText(row),
  };
  return LINKS.map((link, at) => {
    const isStop = at === stop && !isWell;
    const state = isStop ? 'stopped' : at < stop || isWell ? 'done' : 'not-reached';
    const text = state === 'not-reached' && link !== 'running' ? '' : texts[link];
    return { link, state, standing: isStop ? row.standing : 'well', text, since: isStop ? row.since : '' };
  });
}
