import type { NewerBundle, UpgradeOutlook } from './upgrade-outlook.js';

/** Newer bundles listed one by one before the rest is counted. */
const LISTED = 12;

/**
 * The outlook in plain words: what the Subscription has or gets, then each newer bundle with what
 * keeps it from being next.
 */
export function renderOutlook({ subscription, installed, next, newer }: UpgradeOutlook): string {
  const has = installed === undefined ? 'has nothing installed' : `has ${installed}`;
  const gets = next === undefined ? '' : ` and gets ${next}`;
  if (newer.length === 0) {
    return `Subscription ${subscription} ${has}${gets}: no catalog in sight has anything newer.`;
  }
  const head = `Subscription ${subscription} ${has}${gets}. Newer, and why not now:`;
  const more = newer.length > LISTED ? [`  … and ${newer.length - LISTED} more`] : [];
  return [head, ...newer.slice(0, LISTED).map(newerText), ...more].join('\n');
}

function newerText({ name, channels, catalog, because }: NewerBundle): string {
  const where = `channel${channels.length === 1 ? '' : 's'} ${channels.join(', ')} of catalog ${catalog.namespace}/${catalog.name}`;
  return `  ${name} (${where}): ${because}`;
}
