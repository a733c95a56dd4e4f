import type { OperatorRow } from '#core/fleet/view/rows';
import type { ChainLink } from '../../../src/api/questions.schema.js';
import { Ago } from '../../parts/text.js';

const TITLES: Readonly<Record<ChainLink['link'], string>> = {
  desired: 'Desired state',
  catalog: 'Catalog',
  resolution: 'Resolution',
  plan: 'Plan',
  approval: 'Approval',
  running: 'Running',
};

const GLYPHS: Readonly<Record<ChainLink['standing'], string>> = {
  failed: '✖',
  blocked: '◼',
  'needs-approval': '◔',
  'under-way': '↻',
  well: '✔',
};

const WORDS = { done: 'done', stopped: 'stops here', 'not-reached': 'not reached' };

/** Where a row's cause lies, until the cluster has answered: which link is the first that stops. */
function stopOf({ standing, cause, planHash }: OperatorRow): ChainLink['link'] | undefined {
  if (standing === 'well') return undefined;
  if (standing === 'needs-approval' || planHash !== '') return 'approval';
  const kind = cause?.kind ?? '';
  if (/Catalog/.test(kind)) return 'catalog';
  if (/InstallPlan/.test(kind)) return 'plan';
  if (/ClusterServiceVersion|Revision|ClusterObjectSet/.test(kind)) return 'running';
  return 'resolution';
}

export function chainOf(row: OperatorRow): readonly ChainLink[] {
  const links = Object.keys(TITLES) as ChainLink['link'][];
  const stop = links.indexOf(stopOf(row) ?? 'running');
  const isWell = row.standing === 'well';
  return links.map((link, at) => {
    const isStop = at === stop && !isWell;
    const state = isStop ? 'stopped' : at < stop || isWell ? 'done' : 'not-reached';
    const text = link === 'running' && row.version !== '' ? row.version : '';
    return { link, state, standing: isStop ? row.standing : 'well', text, since: isStop ? row.since : '' };
  });
}

/** From the desired state to what runs; the first link that stops is marked. */
export function Chain({ of }: { of: readonly ChainLink[] }) {
  return (
    <ol class="chain" aria-label="From the desired state to what runs">
      {of.map(({ link, state, standing, text, since }) => (
        <li key={link} class={state === 'stopped' ? `stopped ${standing}` : state}>
          <span class="chain-glyph" aria-hidden="true">
            {state === 'stopped' ? GLYPHS[standing] : state === 'done' ? '✔' : '·'}
          </span>
          <span class="chain-title">
            {TITLES[link]}
            <span class="hidden">: {WORDS[state]}</span>
          </span>
          <span class="chain-text">
            {text}
            {since !== '' && (
              <>
                {text !== '' && ' · '}
                <Ago time={since} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
