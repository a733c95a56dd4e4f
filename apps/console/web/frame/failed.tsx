import { otherBuild } from '../live/build.js';
import { timeOfDay } from '../live/times.js';
import { Page } from '../parts/page.js';

const load = () => location.reload();

/** A page that could not be drawn. */
export const Failed = ({ what }: { what: string }) => (
  <Page title="This page failed">
    <p class="notice deprecated" role="alert">
      {what}
    </p>
    <p>
      <button type="button" class="primary" onClick={load}>
        Reload
      </button>
    </p>
  </Page>
);

type NotLoadedProps = Readonly<{ since: Date; needsReload: boolean; renew: () => void }>;

/** A page whose script could not be loaded: the console does not answer, or has another build. */
export const NotLoaded = ({ since, needsReload, renew }: NotLoadedProps) => (
  <Page title="This page could not be loaded">
    <p class="notice deprecated" role="alert">
      {needsReload || otherBuild.value !== ''
        ? 'The console answers, and this page is not part of it any more. The hub may have been upgraded.'
        : 'The console does not answer.'}{' '}
      <span class="pale">Failing since {timeOfDay(since.toISOString())}; retried automatically.</span>
    </p>
    <p>
      {needsReload || otherBuild.value !== '' ? (
        <button type="button" class="primary" onClick={load}>
          Load the console again
        </button>
      ) : (
        <button type="button" class="primary" onClick={renew}>
          Try now
        </button>
      )}
    </p>
  </Page>
);

/** Says that this tab has pages of an earlier build. */
export const Upgraded = () =>
  otherBuild.value === '' ? null : (
    <p class="notice upgraded" role="status">
      The hub was upgraded. This tab still shows its earlier pages.{' '}
      <button type="button" onClick={load}>
        Load the new pages
      </button>
    </p>
  );
