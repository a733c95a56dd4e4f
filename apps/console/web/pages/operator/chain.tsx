import type { ChainLink } from '../../../src/api/questions.schema.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Ago } from '../../parts/text.js';

const TITLES: Readonly<Record<ChainLink['link'], string>> = {
  desired: 'Desired state',
  catalog: 'Catalog',
  resolution: 'Resolution',
  plan: 'Plan',
  approval: 'Approval',
  running: 'Running',
};

/** Icons for a filled circle, which has an outline of its own. */
const SIGNS: Readonly<Record<ChainLink['standing'], IconName>> = {
  failed: 'close',
  blocked: 'bar',
  'needs-approval': 'needs-approval',
  'under-way': 'under-way',
  well: 'check',
};

const WORDS = { done: 'done', stopped: 'stops here', 'not-reached': 'not reached' };

/** Shows the links from the desired state to the running state; the first link that stops is marked. */
export function Chain({ of }: { of: readonly ChainLink[] }) {
  return (
    <ol class="chain" aria-label="From the desired state to what runs">
      {of.map(({ link, state, standing, text, since }) => (
        <li key={link} class={state === 'stopped' ? `stopped ${standing}` : state}>
          <span class="chain-glyph">
            <Icon of={state === 'stopped' ? SIGNS[standing] : state === 'done' ? 'check' : 'pending'} />
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
