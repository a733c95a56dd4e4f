import type { NewerBundle, UpgradeOutlook } from './upgrade-outlook.js';

/** Newer bundles listed one by one before the rest is counted. */
const LISTED = 12;

/**
 * Renders the outlook in plain words: the CSV that the Subscription has or gets, then each newer bundle with
 * its hindrance.
 */
export function renderOutlook(outlook: UpgradeOutlook): string {
  const { subscription, installed, next, newer } = outlook;
  if (outlook.otherPackage !== undefined) return renderOtherPackage(outlook);
  const has = installed === undefined ? 'has nothing installed' : `has ${installed}`;
  const gets = next === undefined ? '' : ` and gets ${next}`;
  if (newer.length === 0) {
    return `Subscription ${subscription} ${has}${gets}: no catalog available to this namespace has a newer version.`;
  }
  return [`Subscription ${subscription} ${has}${gets}. Newer versions and their obstacles:`, ...listed(newer)].join(
    '\n',
  );
}

function renderOtherPackage({ subscription, package: wanted, installed, otherPackage, newer }: UpgradeOutlook): string {
  return [
    `Subscription ${subscription} has ${installed}, a bundle of package ${otherPackage}. Versions of package ${wanted} and their obstacles:`,
    ...listed(newer),
    `To change the package, delete the Subscription and ClusterServiceVersion ${installed}, and create the Subscription again.`,
  ].join('\n');
}

function listed(newer: readonly NewerBundle[]): string[] {
  const more = newer.length > LISTED ? [`  … and ${newer.length - LISTED} more`] : [];
  return [...newer.slice(0, LISTED).map(newerText), ...more];
}

function newerText({ name, channels, catalog, because }: NewerBundle): string {
  const where = `channel${channels.length === 1 ? '' : 's'} ${channels.join(', ')} of catalog ${catalog.namespace}/${catalog.name}`;
  return `  ${name} (${where}): ${because}`;
}
